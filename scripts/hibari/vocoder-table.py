"""Writes the sound that hibari's own signal processing makes from the spectra of test/speech/vocoder/spectra.ts:

    python3 scripts/hibari/vocoder-table.py FOLDER OUTPUT

FOLDER holds the Python package hibari-tts; OUTPUT gets float32 samples. The noise is switched off. The package computes
the pulse train in 32 bits, which alone differs by -60 dB; here its formulas run in 64 bits.
"""

import sys

import numpy as np

sys.path.insert(0, sys.argv[1] + "/hibari")
import dsp  # noqa: E402

FRAMES = 20
BINS = 601


def spectrum(a, b, scale, shift):
    k = np.arange(BINS)[:, None]
    f = np.arange(FRAMES)[None, :]
    return (scale * np.sin(a * k + b * f) + shift).astype(np.float32)


def pulses(f0):
    padded = np.pad(f0.astype(np.float64), 1, mode="edge")
    place = (np.arange(dsp.HOP) + 0.5) / dsp.HOP - 0.5
    before, here, after = padded[:-2, None], padded[1:-1, None], padded[2:, None]
    hz = np.where(place < 0, here - place * (before - here), here + place * (after - here)).reshape(-1)
    voiced = hz > 40
    hz = np.maximum(hz, 40)
    t = 2 * np.pi * (np.cumsum(hz) / dsp.SR % 1)
    order = np.floor(11000 / hz) + 0.5
    s = 2 * np.sin(t / 2)
    limit = np.abs(s) <= 2e-3
    sound = np.where(limit, order, np.sin(order * t) / np.where(limit, 1, s)) - 0.5
    return np.where(voiced, sound, 0)


class Silence:
    def standard_normal(self, shape, dtype):
        return np.zeros(shape, dtype)


def synth():
    return dsp.synth(
        spectrum(0.05, 0.9, 2, -1),
        spectrum(0.11, 0.3, 1.5, 0),
        spectrum(0.07, 0.5, 1, -2),
        spectrum(0.03, 1.1, 1, -3),
        spectrum(0.9, 2.3, 3, 0),
        f0,
        Silence(),
    )


f0 = np.array([0] * 3 + [120 + 9 * i for i in range(12)] + [0] * 2 + [300] * 3, np.float32)
own = synth()
dsp.pulses = pulses
sound = synth()
sound.astype("<f4").tofile(sys.argv[2])
print("peak", np.abs(sound).max(), "32-bit pulses differ by", 20 * np.log10(np.abs(own - sound).max() / np.abs(sound).max()), "dB")
