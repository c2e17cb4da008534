"""The real models in their own Python packages, on one thread."""
import tempfile
import numpy as np
import onnxruntime


class OneThread(onnxruntime.SessionOptions):
    def __init__(self):
        super().__init__()
        self.intra_op_num_threads = self.inter_op_num_threads = 1
        self.log_severity_level = 3


def load_piper(directory):
    import piper.voice
    piper.voice.onnxruntime.SessionOptions = OneThread
    voice = piper.voice.PiperVoice.load(f"{directory}/model.onnx")
    return 22050, lambda text: np.concatenate([chunk.audio_float_array for chunk in voice.synthesize(text)])


def load_kokoro(directory):
    import kokoro_onnx
    style = np.fromfile(f"{directory}/voices/af_heart.bin", np.float32).reshape(-1, 1, 256)
    voices = tempfile.NamedTemporaryFile(suffix=".npz")
    np.savez(voices, af_heart=style)
    voices.flush()
    session = onnxruntime.InferenceSession(f"{directory}/model.onnx", OneThread(), providers=["CPUExecutionProvider"])
    voice = kokoro_onnx.Kokoro.from_session(session, voices.name)
    return 24000, lambda text: voice.create(text, "af_heart", trim=False, sentence_pause=0, clause_pause=0)[0]


def load_hibari(directory):
    import hibari
    voice = hibari.Hibari(threads=1)
    return 24000, lambda text: voice(text, seed=1)


def load(family, directory):
    """The sample rate, and a function from text to samples. `directory`: the folder of the files."""
    return {"piper": load_piper, "kokoro": load_kokoro, "hibari": load_hibari}[family](directory)
