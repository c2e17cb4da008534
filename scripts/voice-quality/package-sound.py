"""Sound of a real model from its own Python package. packages.ts starts it with the family and the folder of the files.
Each line of standard input, {"text", "path"} in JSON, makes a WAV file at that path and is answered with a line."""
import json, os, sys, wave
import numpy as np

sys.path.append(os.path.join(os.path.dirname(__file__), "../bench"))
import packages

rate, speak = packages.load(*sys.argv[1:3])
for line in sys.stdin:
    task = json.loads(line)
    samples = np.asarray(speak(task["text"])).reshape(-1)
    with wave.open(task["path"], "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes((np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes())
    print("done", flush=True)
