"""Coreference: pronouns with a clear antecedent, answers cut to yes and no, and as many of either."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import falter
from falter.data.suite import Suite
from falter.suites.valse.foiling.coreference import cut_answer, find_antecedent, find_pronoun, is_told

AMBIGUOUS = "several nouns of the caption fit the pronoun"
RARE_COLOR = "such a thing hardly has that color"
SINCE = "the pronoun may refer to something that was said since"


@pytest.mark.parametrize(
    ("caption", "question", "earlier", "antecedent"),
    [
        ("a woman is driving a motorcycle", "is she wearing a helmet", (), "noun phrase"),
        ("a woman is driving a motorcycle", "is it red", (), "noun phrase"),
        ("a man is sitting on a bench", "is this outside", ("is it sunny", "yes"), "image"),
        ("a man is sitting on a bench", "is it sunny", ("is there a dog", "yes"), "image"),
        ("a cat next to a laptop", "is it black", (), "noun phrase"),
        ("a cat next to a laptop", "is it black", ("is there a window", "no"), SINCE),
        ("a cat next to a laptop", "is it black", ("what color is the cat", "gray"), AMBIGUOUS),
        ("a man with a cat next to a laptop", "is it black", (), AMBIGUOUS),
        ("a man and a boy", "is he smiling", ("are they old", "no"), AMBIGUOUS),
        ("a man and a girl", "is he smiling", ("are they old", "no"), "noun phrase"),
        ("a man and a girl", "is he smiling", ("is there a boy", "yes"), SINCE),
        ("buffalos walk along grass", "are they in a zoo", (), "noun phrase"),
        ("a field", "is she tall", (), "no noun of the caption fits the pronoun"),
        ("two dogs on a sofa", "is that sofa red", (), "noun phrase"),
        ("two dogs on a sofa", "is that chair red", (), "the pronoun stands before a noun"),
        ("a dog on a sofa", "is it green", (), RARE_COLOR),
        ("a dog on a sofa", "is it brown", (), "noun phrase"),
        ("a dog on a sofa", "is it wearing red", (), "noun phrase"),
        ("a bird on a bench", "is it green", (), "noun phrase"),
        ("a backpack and a tower", "is this inside", (), "the caption tells the answer"),
    ],
)
def test_what_a_pronoun_refers_to(caption: str, question: str, earlier: tuple[str, ...], antecedent: str) -> None:
    pronoun = find_pronoun(question)
    assert pronoun is not None
    assert find_antecedent(pronoun, question, caption, earlier) == antecedent


@pytest.mark.parametrize(
    ("answer", "cut"),
    [
        ("yes", "yes"),
        ("No.", "no"),
        ("yes, she is", "yes"),
        ("no it is not", "no"),
        ("no, overcast", "no"),
        ("no, it isn't", "no"),
        ("yes it isn't", None),
        ("no trees", None),
        ("no, not really", None),
        ("yes i think so", None),
        ("nobody", None),
        ("", None),
        ("gray", None),
    ],
)
def test_answers_are_cut_where_they_are_plain(answer: str, cut: str | None) -> None:
    assert cut_answer(answer) == cut


def write_visdial(folder: Path, split: str, *dialogues: tuple[str, list[tuple[str, str]]]) -> str:
    questions = sorted({question for _, rounds in dialogues for question, _ in rounds})
    answers = sorted({answer for _, rounds in dialogues for _, answer in rounds})
    records: list[dict[str, Any]] = [
        {
            "image_id": number,
            "caption": caption,
            "dialog": [{"question": questions.index(one), "answer": answers.index(other)} for one, other in rounds],
        }
        for number, (caption, rounds) in enumerate(dialogues, start=1)
    ]
    data = {"dialogs": records, "questions": questions, "answers": answers}
    path = folder / f"visdial_1.0_{split}.json"
    path.write_text(json.dumps({"version": "1.0", "split": split, "data": data}))
    return f"visdial:dialogs={path}"


DIALOGUES = (
    ("a woman is driving a motorcycle.", [("is she wearing a helmet?", "yes, she is"), ("what color is it", "red")]),
    ("a man on a bench", [("is this outside", "no"), ("is he old", "not really")]),
    ("a boy with a kite", [("is he happy", "yes"), ("is he", "no"), ("are you sure it is a kite", "yes")]),
    ("\U0001f600", [("\U0001f600 it?", "yes")]),
    ("word " * 200, [("is it sunny", "no")]),
    ("a dog", [("", ""), ("is it brown or black", "yes")]),
    ("a cup", [("is this outside", "yes")]),
    ("a cup and a spoon", [("is this outside", "no")]),
    ("a girl", [("is she tall", "no")]),
    ("a girl and a bus", [("is this outside", "yes")]),
    ("a sun and a kite", [("is it red", "no")]),
)


def generate(folder: Path, split: str, test: str) -> Suite:
    source = write_visdial(folder, split, *DIALOGUES)
    return falter.generate("valse", source, out=folder / test, instrument=(test,), images="none")


def test_pairs_are_caption_question_and_answer(tmp_path: Path) -> None:
    suite = generate(tmp_path, "train", "coreference-standard")
    pairs = {probe.items[0].text: probe for probe in suite.probes()}
    assert Counter(probe.original.facets["direction"] for probe in pairs.values()) == {"yes-to-no": 3, "no-to-yes": 3}
    probe = pairs["a woman is driving a motorcycle. is she wearing a helmet? yes."]
    assert probe.items[1].text == "a woman is driving a motorcycle. is she wearing a helmet? no."
    assert (probe.original.facets["pronoun"], probe.original.facets["antecedent"]) == ("she", "noun phrase")
    assert pairs["a cup. is this outside? yes."].original.facets["antecedent"] == "image"
    (start, end), *_ = json.loads(probe.original.extra or "")["foil_spans"]
    assert probe.items[1].text[start:end] == "no"
    funnel = suite.manifest.counts["funnel"]["coreference-standard"]
    assert funnel["captions"] == sum(len(rounds) for _, rounds in DIALOGUES)
    assert funnel["captions"] == funnel["candidates"] + sum(funnel["skipped"].values())
    assert funnel["skipped"]["the caption has too many tokens"] == 1
    assert funnel["skipped"]["the caption speaks of one sun of several"] == 1
    # A bus is outside: that needs no image.
    assert funnel["skipped"]["the caption tells the answer"] == 1
    # A third of the questions at most is about the image itself.
    assert Counter(one.original.facets["antecedent"] for one in pairs.values()) == {"noun phrase": 4, "image": 2}
    assert funnel["skipped"]["the question goes on from what was said before"] == 1


@pytest.mark.parametrize(
    ("caption", "question", "told"),
    [
        ("a red bus", "is it red", True),
        ("My cat, asleep on the radiator", "Is it asleep?", True),
        ("a man is sitting on a bench. He wears a blue jacket.", "is he wearing a blue jacket", True),
        ("a cyclist in the rain", "is it raining", True),
        ("a bus on a red carpet", "is it in the red", False),
        ("a red bus", "is it a double decker bus", False),
        ("a woman on a horse", "is she wearing a hat", False),
        ("a cat and a table", "is it on the table", False),
    ],
)
def test_what_the_caption_says_is_not_asked(caption: str, question: str, told: bool) -> None:
    assert is_told(question, caption) is told


@pytest.mark.parametrize(
    ("caption", "begins"),
    [
        ("LOOK AT THIS CAT!!!", "LOOK AT THIS CAT!!! is it black?"),
        ("A dog. ", "A dog. is it black?"),
        ("a cat beside a sign that says “Sit.”", "a cat beside a sign that says “Sit.” is it black?"),
        ("a cat 😴", "a cat 😴. is it black?"),
    ],
)
def test_a_caption_ends_with_one_mark(caption: str, begins: str, tmp_path: Path) -> None:
    source = write_visdial(tmp_path, "train", (caption, [("is it black", "yes")]), ("a dog", [("is it black", "no")]))
    suite = falter.generate("valse", source, out=tmp_path / "out", instrument=("coreference-standard",), images="none")
    assert f"{begins} yes." in {probe.original.text for probe in suite.probes()}


def test_a_table_may_have_several_questions_of_an_image(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    rows = (
        ("a", "A dog on a bench.", "Is it brown?", "yes"),
        ("a", "A dog on a bench.", "Is it asleep?", "no"),
        ("a", "A dog on a bench.", "is it asleep", "no"),
        ("b", "A cat on a bench.", "Is it black?", "yes"),
        ("b", "A cat on a bench.", "Is it black?", "no"),
    )
    file.write_text("image,caption,question,answer\n" + "".join(f"{','.join(row)}\n" for row in rows))
    suite = falter.generate(
        "valse", f"captions:{file}", out=tmp_path / "out", instrument=("coreference-standard",), images="none"
    )
    assert {probe.original.probe_id: probe.original.gold for probe in suite.probes()} == {
        "coreference-standard-a-1": "yes",
        "coreference-standard-a-2": "yes",
    }
    skipped = suite.manifest.counts["funnel"]["coreference-standard"]["skipped"]
    assert skipped["the same question of the image is answered with yes and with no"] == 2
    assert skipped["the same question of the image again"] == 1


def test_the_split_decides_the_instrument(tmp_path: Path) -> None:
    clean = generate(tmp_path, "val2018", "coreference-clean")
    assert clean.manifest.counts["tests"]["coreference-clean"]["probes"] == 6
    source = f"visdial:dialogs={tmp_path / 'visdial_1.0_val2018.json'}"
    both = ("coreference-standard", "coreference-clean")
    suite = falter.generate("valse", source, out=tmp_path / "both", instrument=both, images="none")
    assert {probe.original.test for probe in suite.probes()} == {"coreference-clean"}
    funnel = suite.manifest.counts["funnel"]["coreference-standard"]
    assert funnel["skipped"] == {"the split of the source is for the other instrument": len(DIALOGUES)}
