"""Texts to samples with a real model in its own Python package, on one thread. real-models.ts starts it with the family
and the folder of the files. Each line of standard input, a JSON list of texts, is answered with a line of JSON."""
import json, sys, time
import onnxruntime
import packages

graph_seconds = 0.0


class TimedSession(onnxruntime.InferenceSession):
    """Adds the time of every run to graph_seconds."""

    def run(self, *args, **options):
        global graph_seconds
        start = time.process_time()
        try:
            return super().run(*args, **options)
        finally:
            graph_seconds += time.process_time() - start


onnxruntime.InferenceSession = TimedSession
_, speak = packages.load(*sys.argv[1:3])
for line in sys.stdin:
    graph_seconds = 0.0
    start = time.process_time()
    frames = sum(len(speak(text)) for text in json.loads(line))
    seconds = time.process_time() - start
    print(json.dumps({"seconds": seconds, "graphSeconds": graph_seconds, "frames": int(frames), "grownBytes": 0}), flush=True)
