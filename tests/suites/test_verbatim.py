"""Every gold answer and choice of generated suites, given word for word, is read as itself."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

from falter.data.normalize import normalize
from falter.evaluation.answers import read_gold
from falter.evaluation.answers.reply_reading import read_reply
from falter.world.write_world import write_world

from .conftest import World

MOST = 500
"""So many questions are drawn: a second of work."""


def test_golds_and_choices_of_a_suite_are_read_as_themselves(world: World) -> None:
    asked = sorted({(item.gold or "", item.choices or ()) for item in world.suite.items()})
    assert len(asked) > 100
    for gold, choices in Random(5).sample(asked, min(MOST, len(asked))):
        for answer in {gold, *choices}:
            for text in (answer, f"{answer}.", answer.upper()):
                read = read_reply("answer", choices, text, accepted=[gold])
                assert read == ("ok", answer) if choices else normalize(read.answer or "") == normalize(answer)


def test_answers_of_people_and_of_dialogues_are_read(tmp_path: Path) -> None:
    write_world(tmp_path, 12, seed=5, images=False)
    annotations = json.loads(next(tmp_path.rglob("v2_mscoco_train*annotations.json")).read_text())["annotations"]
    answers = {human["answer"] for one in annotations for human in one["answers"]}
    answers |= set(json.loads((tmp_path / "train" / "visdial_1.0_train.json").read_text())["data"]["answers"])
    assert len(answers) > 100
    for answer in answers:
        read = read_reply("answer", None, answer, accepted=[answer]).answer
        assert read is not None and normalize(read) in (normalize(answer), normalize(read_gold(answer))), answer
