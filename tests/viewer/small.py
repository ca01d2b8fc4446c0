"""A small suite with every form of pair, and runs on it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PIL import Image

import falter
from falter import ImageRef, Item, Probe
from falter.data.model import Capabilities, Reply, Request
from tests.reporting.hostile import HOSTILE

__all__ = ["Replies", "make_runs", "make_suite"]

SHOWN_HOSTILE = [text for text in HOSTILE if len(text) < 100 and "\ud83d" not in text]


class Replies:
    """A model whose replies follow from the words of a question by a rule."""

    def __init__(self, name: str, step: int) -> None:
        self.name, self.fingerprint, self._step = name, f"{name}-{step}", step
        self.capabilities = Capabilities(tasks=frozenset(("answer", "match")))

    def reply(self, batch: Sequence[Request]) -> list[Reply]:
        return [self._reply(request) for request in batch]

    def _reply(self, request: Request) -> Reply:
        number = sum(map(ord, request.text)) + self._step
        if request.task == "match":
            return Reply(item_id=request.item_id, score=(number % 5) / 4, score_kind="similarity")
        if number % 11 == 0:
            return Reply(item_id=request.item_id, status="unparsed", text="I cannot tell from this image.")
        word = "yes" if (number // self._step) % 3 else "no"
        hostile = SHOWN_HOSTILE[number % len(SHOWN_HOSTILE)]
        text = f"{word.capitalize()}, {hostile}" if number % 7 == 0 else word
        return Reply(item_id=request.item_id, text=text, answer=word)


def make_suite(folder: Path, probes: int = 24) -> falter.Suite:
    """Pairs whose answers must stay or change, visual pairs, captions with foils, and single questions."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(4):
        image = Image.new("RGB", (64, 48), ("red", "green", "blue", "white")[number])
        image.putpixel((number, number), (1, 2, 3))
        image.save(folder / f"{number}.png")
    return falter.write_suite(
        [_probe(number, folder) for number in range(probes)], folder / "suite", name="small", images="copy"
    )


def _probe(number: int, folder: Path) -> Probe:
    kind = ("same", "different", "visual", "foil", "single")[number % 5]
    picture = ImageRef.from_file(folder / f"{number % 3}.png", f"i{number % 3}")
    common = {
        "suite": "small",
        "test": kind,
        "probe_id": f"{kind}-{number}",
        "expects": {"foil": "prefer", "different": "different", "single": "each"}.get(kind, "same"),
        "task": "match" if kind == "foil" else "answer",
        "image": picture,
        "facets": {"class": ("animal", "vehicle", "tool")[number % 3], "size": f"{number % 2}\u200b"},
    }
    asks = {"choices": None if kind == "foil" else ("yes", "no")}
    odd = SHOWN_HOSTILE[number // 2 % len(SHOWN_HOSTILE)] if number % 2 == 0 else ""
    original = Item.make(**common, **asks, text=f"Is there a kite {number}? {odd}", gold="yes")
    if kind == "single":
        return Probe((original,))
    changed = dict(common, variant=1)
    if kind == "visual":
        changed |= {
            "image": ImageRef.from_file(folder / "3.png", f"i{number % 3}"),
            "facets": {**common["facets"], "obfuscation": "blur-6"},
        }
    gold = "no" if kind in ("different", "foil") else "yes"
    return Probe((original, Item.make(**changed, **asks, text=f"Is there no dog {number}?", gold=gold)))


def make_runs(suite: falter.Suite, folder: Path, models: int = 3) -> list[falter.Run]:
    """Runs of models whose replies differ."""
    return [
        falter.run(suite, Replies(f"model-{step}", step), out=folder / f"model-{step}") for step in range(1, models + 1)
    ]
