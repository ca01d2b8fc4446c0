"""The time of MiniLM in bfloat16 beside full precision: ``python benchmarks/encoding.py FOLDER``.

FOLDER has the question files of VQA v2. Times are of the processor, on one thread, in one run.
"""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path

import numpy as np

from falter.nlp.encoders.transformer import minilm_encoder


def main(folder: Path, most: int) -> None:
    """Encode distinct questions by both encoders, and compare time and vectors."""
    import torch

    torch.set_num_threads(1)
    files = sorted(folder.glob("questions_*.json"))
    texts = sorted({one["question"] for file in files for one in json.loads(file.read_text())["questions"]})
    random.Random("encoding").shuffle(texts)
    texts = texts[:most]
    found, took = {}, {}
    for setting in ("", "bf16"):
        encoder = minilm_encoder(setting)
        encoder.encode(texts[:64])
        start = time.process_time()
        found[setting] = encoder.encode(texts)
        took[setting] = time.process_time() - start
        print(f"{encoder.name}: {len(texts):,} questions in {took[setting]:.1f} s of processor time")
    one, other = found[""], found["bf16"]
    cosine = (one * other).sum(axis=1) / np.linalg.norm(one, axis=1) / np.linalg.norm(other, axis=1)
    print(f"{took[''] / took['bf16']:.2f} times as fast; largest distance in cosine {1 - cosine.min():.1e}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000)
