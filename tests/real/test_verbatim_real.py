"""Answers of the published data sets, given word for word, are read, and right: a sample of each, drawn by a seed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

import falter
from falter.data.items import Item, Probe
from falter.data.normalize import normalize
from falter.evaluation.answers import read_gold
from falter.evaluation.answers.reply_reading import read_reply

DATA = Path(__file__).parents[3] / "shared" / "data"
MOST = 2000
"""So many answers of a data set are drawn."""

pytestmark = pytest.mark.real


def need(name: str) -> Path:
    if not (DATA / name).exists():
        pytest.skip(f"needs ../shared/data/{name} beside the checkout")
    return DATA / name


def vqa_answers() -> Iterator[str]:
    for annotation in json.loads((need("vqa-v2") / "annotations_valid.json").read_text())["annotations"]:
        yield annotation["multiple_choice_answer"]
        yield from (human["answer"] for human in annotation["answers"])


def convqa_answers() -> Iterator[str]:
    folder = need("convqa")
    for name in ("CommonSense_ConVQA_consistent", "CommonSense_ConVQA_inconsistent"):
        for entry in json.loads((folder / f"{name}.json").read_text()).values():
            yield from (str(pair[1]) for pair in entry if isinstance(pair, list))


def gqa_answers() -> Iterator[str]:
    folder = need("gqa")
    for name in ("questions_testdev_half", "questions_val_sample"):
        for question in json.loads((folder / f"{name}.json").read_text()).values():
            yield question["answer"]
            yield question.get("fullAnswer") or question["answer"]


def visdial_answers() -> Iterator[str]:
    data = json.loads((need("visdial") / "visdial_1.0_val_crowdsourced.json").read_text())["data"]
    yield from filter(None, data["answers"])


@pytest.mark.parametrize("answers", [vqa_answers, convqa_answers, gqa_answers, visdial_answers])
def test_an_open_answer_given_word_for_word_is_read_and_right(answers: object) -> None:
    distinct = sorted({one for one in answers() if one.strip()})  # type: ignore[operator]
    drawn = Random(5).sample(distinct, min(MOST, len(distinct)))
    assert len(drawn) > 100
    for answer in drawn:
        read = read_reply("answer", None, answer, accepted=[answer]).answer
        assert read is not None and normalize(read) in (normalize(answer), normalize(read_gold(answer))), answer


def test_a_choice_of_a_dialogue_given_word_for_word_is_itself() -> None:
    data = json.loads((need("visdial") / "visdial_1.0_val_crowdsourced.json").read_text())["data"]
    rounds = [one for dialogue in data["dialogs"] for one in dialogue["dialog"] if "answer_options" in one]
    for one in Random(5).sample(rounds, 20):
        choices = tuple(data["answers"][option] for option in one["answer_options"])
        assert all(read_reply("answer", choices, choice) == ("ok", choice) for choice in choices)


def test_the_majority_answer_is_right_through_the_program(tmp_path: Path) -> None:
    folder = need("vqa-v2")
    annotations = json.loads((folder / "annotations_valid.json").read_text())["annotations"]
    probes, majority = [], {}
    for annotation in Random(5).sample(annotations, MOST):
        people = tuple(human["answer"] for human in annotation["answers"])
        (answer, votes), *others = Counter(people).most_common(2)
        if others and others[0][1] == votes:
            continue
        number = str(annotation["question_id"])
        item = Item.make(suite="v", test="t", probe_id=number, text=f"What, {number}?", answers=people)
        probes.append(Probe.of(item))
        majority[item.item_id] = answer
    suite = falter.write_suite(probes, tmp_path / "suite", name="v", images="none")
    run = falter.run(suite, lambda batch: [majority[one.item_id] for one in batch], name="m", out=tmp_path / "run")
    assert run.status_counts() == {"ok": len(probes)}
    assert set(run.outcomes()["outcome"]) == {"correct"}
