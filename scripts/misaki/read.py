"""Reads sentences with the Python package hibari-tts (misaki's English, Apache-2.0).

Standard input: one JSON string per line. Standard output: per line [american, british], misaki's phonemes.
PYTHONPATH names the unpacked wheel (and numpy and onnxruntime). The sentences are normalized already, so the
package's own normalization stays off.
"""
import json
import sys

from hibari.g2p import G2P

american, british = G2P(), G2P(british=True)
for line in sys.stdin:
    sentence = json.loads(line)
    readings = [read(sentence, normalize_text=False) for read in (american, british)]
    print(json.dumps(readings, ensure_ascii=False), flush=True)
