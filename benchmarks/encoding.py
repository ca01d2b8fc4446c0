"""The time of MiniLM in bfloat16 beside full precision.

    python benchmarks/encoding.py [FOLDER] [--questions N] [--short]

FOLDER has the question files of VQA v2; without one, questions are made up. Times are of the processor, on one thread,
in one run.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from _short_form import DATA, parse_options
from rankers import made_up

from falter.generation.nlp.encoders.transformer import minilm_encoder


def main(given: Sequence[str] | None = None) -> None:
    """Encode distinct questions by both encoders, and compare time and vectors."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=DATA / "vqa-v2", help="question files of VQA v2")
    parser.add_argument("--questions", type=int, help="so many of them (by default all)")
    options = parse_options(parser, given, questions=16, folder=None)
    import torch

    torch.set_num_threads(1)
    files = sorted(options.folder.glob("questions_*.json")) if options.folder else []
    texts = sorted({record["question"] for file in files for record in json.loads(file.read_text())["questions"]})
    if not texts:
        print("made-up questions: there is no folder with those of VQA v2")
        texts = made_up(30_000)
    random.Random("encoding").shuffle(texts)
    texts = texts[: options.questions]
    vectors, took = {}, {}
    for setting in ("", "bf16"):
        encoder = minilm_encoder(setting)
        encoder.encode(texts[:64])
        start = time.process_time()
        vectors[setting] = encoder.encode(texts)
        took[setting] = time.process_time() - start
        print(f"{encoder.name}: {len(texts):,} questions in {took[setting]:.1f} s of processor time")
    full, half = vectors[""], vectors["bf16"]
    cosine = (full * half).sum(axis=1) / np.linalg.norm(full, axis=1) / np.linalg.norm(half, axis=1)
    print(f"{took[''] / took['bf16']:.2f} times as fast; largest distance in cosine {1 - cosine.min():.1e}")


if __name__ == "__main__":
    main()
