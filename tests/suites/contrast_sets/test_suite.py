"""Contrast sets from scenes: every variant turns the answer by one atom, sets are nested, labels are derived again."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from falter.core.errors import FalterWarning, UsageError
from falter.data.items import Item, Probe
from falter.data.sources import open_source
from falter.generation.authoring.generator import GenerateContext
from falter.generation.authoring.options import GenerateOptions
from falter.generation.english import default_grammar
from falter.generation.inspection.audit import audit
from falter.generation.sources.gqa import GqaSource
from falter.suites.contrast_sets.generator import CONTRAST_SETS
from falter.suites.contrast_sets.inspection import audit_generated as audit_set
from falter.suites.contrast_sets.options import ContrastSetOptions
from falter.world.compose import compose
from falter.world.write_questions import gqa_graph, gqa_questions
from tests.suites.made import raw_graphs, write_graphs

pytestmark = pytest.mark.bundle("contrast-sets")

SCENES = 24


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_graphs(tmp_path_factory.mktemp("gqa"), raw_graphs(SCENES))


def make(
    source: str, *, tests: tuple[str, ...] = (), size: int | None = None, **own: Any
) -> tuple[list[Probe], Counter[str]]:
    opened = open_source(source)
    options = GenerateOptions(tests=tests, size=size, images="none", suite_options=ContrastSetOptions(**own))
    context = GenerateContext(source=opened, options=options)
    return list(CONTRAST_SETS.probes(opened, options, context)), context.rejected


@pytest.fixture(scope="module")
def probes(source: str) -> list[Probe]:
    return make(source, per_question=5)[0]


def test_all_six_templates_give_sets_and_every_label_is_derived_again(source: str, probes: list[Probe]) -> None:
    made = Counter(probe.original.test for probe in probes)
    assert set(made) == {"side", "color", "near", "or", "relation-object", "relation"}
    assert min(made.values()) >= 4
    result = audit(probes, open_source(source), default_grammar())
    assert result.disagreements == []
    assert result.agree == result.items == sum(len(probe.items) for probe in probes)


def test_every_variant_turns_the_answer(probes: list[Probe]) -> None:
    for probe in probes:
        assert 1 <= len(probe.variants) <= 5
        assert len({item.text for item in probe.items}) == len(probe.items)
        assert all(variant.gold != probe.original.gold for variant in probe.variants)


@pytest.mark.parametrize("fewer", [1, 3])
def test_sets_of_fewer_variants_are_part_of_sets_of_more(source: str, probes: list[Probe], fewer: int) -> None:
    small, _ = make(source, per_question=fewer)
    large = {probe.probe_id: [item.text for item in probe.items] for probe in probes}
    assert [probe.probe_id for probe in small] == list(large)
    assert any(len(texts) > fewer + 1 for texts in large.values())
    for probe in small:
        assert [item.text for item in probe.items] == large[probe.probe_id][: fewer + 1]


def test_the_audit_finds_a_second_changed_atom_and_a_wrong_label(source: str, probes: list[Probe]) -> None:
    either = next(probe for probe in probes if probe.original.test == "or" and probe.original.gold == "no")
    opened = open_source(source)
    assert audit_set(either, opened) == ""

    def with_variant(**fields: Any) -> Probe:
        changed: Item = either.variants[0].change(**fields)
        return Probe((either.original, changed))

    assert "one atom" in audit_set(with_variant(text="Is there a submarine or a castle?"), opened)
    assert "answer of its original" in audit_set(with_variant(gold="no"), opened)
    with pytest.raises(UsageError, match="--scenes"):
        audit_set(either, None)


def test_a_size_is_sets_per_test(source: str) -> None:
    few, _ = make(source, size=3, per_question=1)
    assert Counter(probe.original.test for probe in few) == dict.fromkeys(
        ("side", "color", "near", "or", "relation-object", "relation"), 3
    )


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Scenes of the world with its own questions, in GQA's format."""
    folder = tmp_path_factory.mktemp("asked")
    scenes = [compose(0, index) for index in range(24)]
    questions = {key: value for scene in scenes for key, value in gqa_questions(scene, 0).items()}
    (folder / "val_balanced_questions.json").write_text(json.dumps(questions))
    return write_graphs(folder, {scene.image_id: gqa_graph(scene.graph) for scene in scenes})


def test_any_atom_of_other_questions_can_be_changed(asked: str) -> None:
    atoms = "object,attribute,relation,quantifier,connective"
    made, _ = make(asked, tests=("verify", "logical", "choose", "compare"), atoms=atoms, per_question=5)
    assert {variant.facets["atom"] for probe in made for variant in probe.variants} == set(atoms.split(","))
    assert {probe.original.test for probe in made} == {"verify", "logical", "choose", "compare"}
    result = audit(made, open_source(asked), default_grammar())
    assert result.disagreements == []
    assert result.agree == result.items
    with pytest.raises(UsageError, match="no atom 'verb'"):
        make(asked, atoms="verb")


def test_a_published_question_is_no_variant_and_keeps_its_text(asked: str) -> None:
    source = open_source(asked)
    assert isinstance(source, GqaSource)
    texts = {question.id: question for question in source.questions()}
    published = {(question.image_id, question.text) for question in texts.values()}
    made, rejected = make(asked)
    assert len(made) > 20
    for probe in made:
        assert probe.original.text == texts[str(probe.original.source_id)].text
        assert not any((item.image_id, item.text) in published for item in probe.variants)
    assert any("no change turns the answer" in reason for reason in rejected)


def different_questions(probes: list[Probe]) -> set[tuple[str | None, str]]:
    return {(item.image_id, item.text) for probe in probes for item in probe.items}


def test_questions_without_a_variant_are_kept_on_request_and_make_room(asked: str) -> None:
    made, _ = make(asked, per_question=1)
    kept, _ = make(asked, per_question=1, keep_all=True)
    singles = [probe for probe in kept if not probe.variants]
    assert [probe for probe in kept if probe.variants] == made
    assert {probe.original.test for probe in singles} > {"other"}
    with pytest.raises(UsageError, match="--keep-all"):
        make(asked, same_size=True)


@pytest.mark.parametrize("per_question", [1, 2])
def test_the_number_of_questions_stays_the_same(asked: str, per_question: int) -> None:
    """A question of two sets is one question, and so is a variant of two."""
    kept, _ = make(asked, per_question=per_question, keep_all=True)
    same, rejected = make(asked, per_question=per_question, keep_all=True, same_size=True)
    originals = {(probe.original.image_id, probe.original.text) for probe in kept}
    assert len(different_questions(same)) == len(originals)
    removed = rejected["an original was removed to keep the number of questions"]
    assert removed == len(different_questions(kept)) - len(originals)


def test_a_size_that_cannot_be_kept_is_told(asked: str) -> None:
    settings: dict[str, Any] = {"tests": ("verify",), "per_question": 5, "keep_all": True}
    kept, _ = make(asked, **settings)
    originals = {(probe.original.image_id, probe.original.text) for probe in kept}
    with_variants = [probe for probe in kept if probe.variants]
    with pytest.warns(FalterWarning, match="--same-size is not met") as told:
        same, _ = make(asked, same_size=True, **settings)
    asked_in_sets = different_questions(with_variants)
    assert different_questions(same) == asked_in_sets
    assert f"there are {len(asked_in_sets):,} questions, not {len(originals):,}" in str(told[0].message)


def test_images_that_are_held_out_do_not_count(asked: str) -> None:
    opened = open_source(asked)
    own = ContrastSetOptions(per_question=1, keep_all=True, same_size=True)
    options = GenerateOptions(images="none", suite_options=own)
    kept, _ = make(asked, per_question=1, keep_all=True)
    held_out = {str(probe.original.image_id): "other" for probe in kept[: len(kept) // 2]}
    context = GenerateContext(source=opened, options=options, held_out=held_out)
    same = [one for one in CONTRAST_SETS.probes(opened, options, context) if one.original.image_id not in held_out]
    originals = {
        (probe.original.image_id, probe.original.text) for probe in kept if probe.original.image_id not in held_out
    }
    assert len(different_questions(same)) == len(originals) > 0


def test_a_question_whose_program_asks_something_else_is_dropped(asked: str, tmp_path: Path) -> None:
    folder = Path(asked.removeprefix("gqa:"))
    questions = json.loads((folder / "val_balanced_questions.json").read_text())
    made, rejected = make(asked, tests=("side",), per_question=1)
    assert not any("program" in reason for reason in rejected)
    key = str(made[0].original.source_id)
    questions[key]["semantic"][0]["argument"] = "castle (-)"
    odd = {**questions[key], "question": ""}
    questions |= {"lost": {**odd, "imageId": "none"}, "empty": odd, "endless": {**odd, "question": "On which " * 1200}}
    questions["unanswered"] = {name: value for name, value in questions[key].items() if name != "answer"}
    del questions["unanswered"]["semantic"]
    questions |= {"null": {**odd, "question": None}, "number": {**odd, "answer": 5}}
    questions["german"] = {**questions["unanswered"], "question": "Welche Farbe hat der Hund?", "answer": "braun"}
    (tmp_path / "questions.json").write_text(json.dumps(questions))
    changed = f"gqa:graphs={folder / 'val_sceneGraphs.json'},questions={tmp_path / 'questions.json'}"
    source = open_source(changed)
    assert isinstance(source, GqaSource)
    assert {"null", "number"}.isdisjoint(question.id for question in source.questions())
    assert source.problems["question record that cannot be read"] == 2
    fewer, rejected = make(changed, tests=("side",), per_question=1)
    assert [probe.probe_id for probe in fewer] == [probe.probe_id for probe in made[1:]]
    assert rejected["the program of the question asks something else than its text"] == 1
    assert rejected["the image of a question has no scene graph"] == 1
    assert rejected["side: the published answer is not the annotation's"] == 1


def test_a_question_that_can_be_read_in_two_ways_with_two_answers_is_dropped(tmp_path: Path) -> None:
    """The table with the cat is left of the lamp, the cat on it is not."""
    boxes = {"cat": (700, 60), "table": (50, 700), "lamp": (500, 40)}
    objects: dict[str, dict[str, Any]] = {
        name: {"name": name, "x": x, "y": 300, "w": w, "h": 200, "attributes": [], "relations": []}
        for name, (x, w) in boxes.items()
    }
    objects["cat"]["relations"] = [
        {"name": "on", "object": "table"}, {"name": "to the right of", "object": "lamp"},
    ]  # fmt: skip
    objects["table"]["relations"] = [{"name": "to the left of", "object": "lamp"}]
    write_graphs(tmp_path, {"1": {"width": 1000, "height": 600, "objects": objects}})
    asked = {"imageId": "1", "answer": "yes"}
    texts = ("Is the cat on the table to the left of the lamp?", "Is the cat to the right of the lamp?")
    questions = {str(number): {**asked, "question": text} for number, text in enumerate(texts)}
    (tmp_path / "questions.json").write_text(json.dumps(questions))
    graphs = next(tmp_path.glob("*sceneGraphs*"))
    source = f"gqa:graphs={graphs},questions={tmp_path / 'questions.json'},complete=referents"
    found, rejected = make(source, tests=("relation",), per_question=1)
    assert [probe.original.text for probe in found] == [texts[1]]
    assert rejected["relation: the text has a second meaning with another answer"] == 1


def test_a_question_that_no_template_reads_is_changed_through_its_program(asked: str, tmp_path: Path) -> None:
    folder = Path(asked.removeprefix("gqa:"))
    questions = json.loads((folder / "val_balanced_questions.json").read_text())
    made, _ = make(asked, tests=("side",), per_question=5)
    key = next(
        str(probe.original.source_id)
        for probe in made
        if len(probe.variants) > 1 and len(questions[str(probe.original.source_id)]["semantic"]) == 2
    )
    noun = questions[key]["semantic"][0]["argument"].split(" (")[0]
    odd = {**questions[key], "question": f"Whither should one look for the {noun}, comrade?"}
    lost = {name: value for name, value in odd.items() if name != "semantic"}
    unfit = {"empty": "", "script": "犬はどこですか?", "long": "On which side is the dog? " * 400}
    others = {name: {**odd, "question": text} for name, text in unfit.items()}
    (tmp_path / "questions.json").write_text(json.dumps({key: odd, "lost": lost, **others}))
    changed = f"gqa:graphs={folder / 'val_sceneGraphs.json'},questions={tmp_path / 'questions.json'}"
    found, rejected = make(changed, tests=("side",), per_question=2)
    (probe,) = found
    assert rejected["no template reads the question"] == 1
    for reason in ("has no words", "is not written in Latin letters", "is longer than 1000 characters"):
        assert rejected[f"the question {reason}"] == 1
    assert [item.facets["read_from"] for item in probe.items] == ["program"] * len(probe.items)
    for variant in probe.variants:
        assert variant.text.startswith("Whither should one look for the ")
        assert {variant.gold, probe.original.gold} == {"left", "right"}
    result = audit(found, open_source(changed), default_grammar())
    assert result.agree == result.items == len(probe.items)
    wrong = Probe((probe.original, probe.variants[0].change(extra=probe.original.extra)))
    assert audit_set(wrong, open_source(changed)) == "the scene gives another answer than the label"
