"""Small made-up releases of VALSE and CARETS, and files of predictions for them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

__all__ = ["draw", "write_carets", "write_choices", "write_matches", "write_valse"]

PAIRS = 30
MORE_PAIRS = {"existence": 80}
"""Enough for a check of how far text alone goes."""

INSTRUMENTS = {
    "existence": lambda word, _: (f"There are no {word}s.", f"There are {word}s."),
    "plurals": lambda word, _: (f"A few {word}s on a table.", f"Exactly one {word} on a table."),
    "counting-hard": lambda word, number: (f"There are exactly {number} {word}s.", f"There are {number + 2} {word}s."),
    "actant-swap": lambda word, number: (f"A {word} follows dog {number}.", f"Dog {number} follows a {word}."),
    "coreference-hard": lambda word, number: (f"Is it a {word}? Yes, {number}.", f"Is it a {word}? No, {number}."),
}
WORDS = ("cat", "cow", "kite", "lamp", "boat", "clock", "pear")


def draw(*names: object) -> float:
    """A number from 0 up to 1 that depends on the names alone."""
    digest = hashlib.sha256(" ".join(map(str, names)).encode()).digest()
    return int.from_bytes(digest[:4], "big") / 2**32


def write_valse(folder: Path) -> None:
    """Five instruments of VALSE, with pairs that annotators did not confirm and, in each, one of two equal texts."""
    folder.mkdir()
    for instrument, texts in INSTRUMENTS.items():
        entries = {}
        for number in range(_pairs(instrument)):
            caption, foil = texts(WORDS[number % len(WORDS)], number)
            votes = 3 - int(3 * draw(instrument, number, "votes") ** 2)
            entries[f"{instrument}_{number}"] = {
                "dataset": "coco_2017",
                "original_split": "val",
                "image_file": f"{int(20 * draw(instrument, number, 'image')):012}.jpg",
                "caption": caption,
                "foil": caption if number == 11 else foil,
                "classes": str(number),
                "classes_foil": str(number + 2),
                "mturk": {"caption": votes, "foil": (3 - votes) // 2, "other": 3 - votes - (3 - votes) // 2},
            }
        (folder / f"{instrument}.json").write_text(json.dumps(entries))


def _pairs(instrument: str) -> int:
    return MORE_PAIRS.get(instrument, PAIRS)


def write_matches(path: Path, *, strength: float, score_kind: str | None, released: bool) -> None:
    """Scores of captions and foils, some of them equal, one in twenty missing; by released number or published id."""
    rows: list[dict[str, Any]] = []
    for instrument in INSTRUMENTS:
        for number in range(_pairs(instrument)):
            for side in ("caption", "foil"):
                if draw(path.name, instrument, number, side, "missing") < 0.05:
                    continue
                score = draw(path.name, instrument, number, side) * (1 - strength) + strength * (side == "caption")
                named = {"instrument": instrument, "id": number, "type": side}
                row = named if released else {"source_id": f"{instrument}:{number}:{side}"}
                rows.append(
                    {**row, "score": round(score, 2), **({} if score_kind is None else {"score_kind": score_kind})}
                )
    _write_lines(path, rows)


def write_choices(path: Path, valse: Path) -> None:
    """Answers to VALSE posed as a choice: right, wrong, as a letter, wordy, and no answer at all."""
    rows: list[dict[str, Any]] = []
    for instrument in INSTRUMENTS:
        for number, entry in enumerate(json.loads((valse / f"{instrument}.json").read_text()).values()):
            for place, order in enumerate(("caption-first", "foil-first")):
                share = draw(path.name, instrument, number, order)
                said = entry["caption"] if share < 0.5 else entry["foil"]
                if share > 0.9:
                    said = "I cannot tell."
                elif 0.3 < share < 0.5:
                    said = f"The answer is: {entry['caption']}"
                elif 0.5 < share < 0.6:
                    said = "AB"[place]
                rows.append({"source_id": f"{instrument}:{number}:{order}", "text": said})
    _write_lines(path, rows)


def write_carets(folder: Path, graphs: Mapping[str, Any]) -> None:
    """Three question files of CARETS about the objects of scene graphs."""
    folder.mkdir()
    files: dict[str, list[dict[str, Any]]] = {"object_verification_negation": [], "object_verification_template": []}
    files["attribute_choice_symmetric"] = []
    for place, (image, graph) in enumerate(graphs.items()):
        identity, thing = next(iter(graph["objects"].items()))
        about = {"obj1": thing["name"], "obj1_id": identity}
        name = thing["name"]
        negation = (f"Is there a {name}?", "yes"), (f"Is there no {name} ?", "no")
        files["object_verification_negation"] += _pair(image, place, "n", negation, (about, about))
        absent = {"obj1": "zebra", "obj1_id": None}
        template = ("Is there a zebra?", "no"), ("Do you see a zebra", "no")
        files["object_verification_template"] += _pair(image, place, "t", template, (absent, absent))
        options = ["red", "blue", "green"]
        turned = {**about, "category-options1": options}, {**about, "category-options1": options[::-1]}
        asked = f"What color is the {name}, red, blue or green", f"What color is the {name}, green, blue or red"
        gold = options[place % 3]
        files["attribute_choice_symmetric"] += _pair(image, place, "s", ((asked[0], gold), (asked[1], gold)), turned)
    for stem, questions in files.items():
        (folder / f"{stem}_test.json").write_text(json.dumps(questions))


def _pair(image: str, place: int, suffix: str, asked: Iterable[tuple[str, str]], about: Any) -> list[dict[str, Any]]:
    """Both questions of a pair, the changed one first in every second pair."""
    pair = [
        {
            "img_id": image,
            "label": {gold: 1.0},
            "question_id": f"{image}-{place}-{place % 4}{end}",
            "sent": text,
            "question_type": "any",
            "assignment": assignment,
        }
        for end, (text, gold), assignment in zip(("", f"-{suffix}"), asked, about, strict=True)
    ]
    return pair[::-1] if place % 2 else pair


def _write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
