"""Texts to samples with a real model in its own Python package, on one thread. real-models.ts starts it with the family
and the folder of the files. Each line of standard input, a JSON list of texts, is answered with a line of JSON."""
import json, sys, tempfile, time
import numpy as np
import onnxruntime

family, directory = sys.argv[1:3]
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


class OneThread(onnxruntime.SessionOptions):
    def __init__(self):
        super().__init__()
        self.intra_op_num_threads = self.inter_op_num_threads = 1
        self.log_severity_level = 3


def load_piper():
    import piper.voice
    piper.voice.onnxruntime.SessionOptions = OneThread
    voice = piper.voice.PiperVoice.load(f"{directory}/model.onnx")
    return lambda text: sum(len(chunk.audio_float_array) for chunk in voice.synthesize(text))


def load_kokoro():
    import kokoro_onnx
    style = np.fromfile(f"{directory}/voices/af_heart.bin", np.float32).reshape(-1, 1, 256)
    voices = tempfile.NamedTemporaryFile(suffix=".npz")
    np.savez(voices, af_heart=style)
    voices.flush()
    session = onnxruntime.InferenceSession(f"{directory}/model.onnx", OneThread(), providers=["CPUExecutionProvider"])
    voice = kokoro_onnx.Kokoro.from_session(session, voices.name)
    return lambda text: len(voice.create(text, "af_heart", trim=False, sentence_pause=0, clause_pause=0)[0])


def load_hibari():
    import hibari
    voice = hibari.Hibari(threads=1)
    return lambda text: len(voice(text, seed=1))


onnxruntime.InferenceSession = TimedSession
speak = {"piper": load_piper, "kokoro": load_kokoro, "hibari": load_hibari}[family]()
for line in sys.stdin:
    graph_seconds = 0.0
    start = time.process_time()
    frames = sum(speak(text) for text in json.loads(line))
    seconds = time.process_time() - start
    print(json.dumps({"seconds": seconds, "graphSeconds": graph_seconds, "frames": int(frames), "grownBytes": 0}), flush=True)
