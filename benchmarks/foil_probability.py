"""How much less probable than their captions the released foils are, those that annotators confirmed and the others.

    python benchmarks/foil_probability.py [FOLDER] [--model smollm2] [--short]

The cuts of ``falter generate valse`` are taken from these figures: the loss of a foil against its caption, in nats, up
to which 95 % of the confirmed foils stay, and the nats a word above which 99 % of the released captions are. The area
is the probability that a rejected foil loses more than a confirmed one: 0.5 says that the model cannot tell them apart.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from _short_form import DATA, parse_options

from falter.core.causal_lm import Continuation, load_causal_lm
from falter.core.files import read_json

INSTRUMENTS = ("relations", "action-replacement", "plurals")


def main(given: Sequence[str] | None = None) -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    arguments.add_argument("folder", type=Path, nargs="?", default=DATA / "valse", help="the released files")
    arguments.add_argument("--pairs", type=int, help="so many of each instrument (by default all)")
    arguments.add_argument("--model", default="smollm2")
    options = parse_options(arguments, given, pairs=20)
    if not options.folder.is_dir():
        print(f"no released files at {options.folder}: nothing to measure")
        return
    model = load_causal_lm(options.model)
    for name in INSTRUMENTS:
        entries = list(read_json(options.folder / f"{name}.json", dict[str, dict[str, Any]]).values())
        entries = [entry for entry in entries if entry["caption"] != entry["foil"]][: options.pairs]
        texts = [Continuation(one[key]) for one in entries for key in ("caption", "foil")]
        scores = np.array([one.total for one in model.score(texts)]).reshape(-1, 2)
        loss = scores[:, 0] - scores[:, 1]
        valid = np.array([one["mturk"]["caption"] >= 2 for one in entries])
        word = scores[:, 0] / [len(one["caption"].split()) for one in entries]
        area = (loss[~valid][:, None] > loss[valid][None]).mean()
        print(f"{name}: {valid.sum()} confirmed, {(~valid).sum()} rejected, area {area:.3f}")
        print(f"  95 % of the confirmed lose at most {np.quantile(loss[valid], 0.95):.2f} nats")
        print(f"  99 % of the captions have at least {np.quantile(word, 0.01):.2f} nats a word")
        for most in (6, 8, 10, 12):
            print(
                f"  up to {most}: {(loss[valid] <= most).mean():.3f} of confirmed, {(loss[~valid] <= most).mean():.3f}"
            )


if __name__ == "__main__":
    main()
