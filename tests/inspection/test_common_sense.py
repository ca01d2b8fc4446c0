"""The common-sense baseline: it finds what is usual, and nothing where the usual is no more often correct."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from falter.data.blind_checks import BlindCheck
from falter.data.items import ImageRef, Item, Probe
from falter.data.suite_writing import write_suite
from falter.generation.cooccurrence import Plausibility, load_table
from falter.generation.english import default_grammar
from falter.generation.inspection.blind import blind_check
from falter.generation.inspection.claims import ClaimReader, Claims
from falter.generation.scene import And, Choose, Exists, HasAttribute, Not, ObjectDescription, Or, query_to_json
from falter.generation.scene.graph import Box, SceneGraph, SceneObject
from falter.generation.scene.query import Option, Query

ONTOLOGY = default_grammar().ontology
COUNTS = load_table().check
KINDS = [kind for kind, _ in COUNTS.kinds.most_common() if kind in ONTOLOGY.kinds]
COMMON, RARE = KINDS[:60], KINDS[-60:]


def question(
    number: int, gold: str, query: Query | None, text: str = "?", choices: Sequence[str] = ("yes", "no")
) -> Probe:
    return Probe.of(
        Item.make(
            suite="mine",
            test="sense",
            probe_id=f"p{number}",
            text=text,
            image=ImageRef(f"image-{number}"),
            choices=choices,
            gold=gold,
            meaning=None if query is None else query_to_json(query),
        )
    )


def check(folder: Path, probes: Sequence[Probe], **settings: object) -> BlindCheck:
    (found,) = blind_check(write_suite(probes, folder, name="mine"), quick=True, **settings)  # type: ignore[arg-type]
    return found


def exists(kind: str) -> Exists:
    return Exists(ObjectDescription(kind))


@pytest.mark.parametrize("known_by", ["meaning", "text"])
def test_what_is_common_is_found_though_no_word_occurs_twice(tmp_path: Path, known_by: str) -> None:
    probes = [
        question(
            number,
            "yes" if kind in COMMON else "no",
            exists(kind) if known_by == "meaning" else None,
            f"Is there a {kind}?",
        )
        for number, kind in enumerate(COMMON + RARE)
    ]
    found = check(tmp_path / "suite", probes)
    assert found.low < 0.6, "n-grams cannot know"
    assert found.common_sense is not None
    assert found.common_sense.knows == "words"
    assert found.common_sense.low > 0.85
    assert found.common_sense.auc is not None and found.common_sense.auc > 0.95
    assert found.common_sense.areas["frequency"] > 0.95


def test_answers_by_a_coin_leave_it_at_chance(tmp_path: Path) -> None:
    coin = Random(4)
    kinds = KINDS[:400]
    golds = ["yes", "no"] * 200
    coin.shuffle(golds)
    probes = [question(number, golds[number], exists(kind)) for number, kind in enumerate(kinds)]
    found = check(tmp_path / "suite", probes)
    assert found.common_sense is not None
    assert found.common_sense.low < 0.5 < found.common_sense.high


def test_a_denial_turns_what_is_usual(tmp_path: Path) -> None:
    probes = [
        question(number, "no" if kind in COMMON else "yes", Not(exists(kind)))
        for number, kind in enumerate(COMMON + RARE)
    ]
    found = check(tmp_path / "suite", probes).common_sense
    assert found is not None
    assert found.low > 0.85


def usual_choices(right: bool) -> list[Probe]:
    """Nouns of which one value is said often and another never; the usual one is correct, or every other time."""
    probes = []
    for kind in KINDS:
        values = {value: count for (of, value), count in COUNTS.attributes.items() if of == kind and count > 4}
        never = [
            value
            for value in ("purple", "pink", "orange", "gold", "striped")
            if ONTOLOGY.applies_to(value, kind) and (kind, value) not in COUNTS.attributes
        ]
        if not values or not never:
            continue
        usual = max(values, key=lambda value: (values[value], value))
        number = len(probes)
        choices = (usual, never[0]) if number % 4 < 2 else (never[0], usual)
        query = Choose(
            tuple(Option(value, HasAttribute(ObjectDescription(kind, definite=True), value)) for value in choices)
        )
        probes.append(question(number, usual if right or number % 2 else never[0], query, choices=choices))
    return probes


def test_the_option_most_usual_for_the_noun_is_taken(tmp_path: Path) -> None:
    found = check(tmp_path / "suite", usual_choices(right=True)).common_sense
    assert found is not None
    assert found.accuracy > 0.97
    assert found.most_usual == 1


def test_where_the_usual_option_is_correct_half_the_time_it_is_at_chance(tmp_path: Path) -> None:
    checked = check(tmp_path / "suite", usual_choices(right=False))
    assert checked.chance == 0.5
    assert checked.common_sense is not None
    assert checked.common_sense.low < 0.5 < checked.common_sense.high
    assert checked.common_sense.most_usual == pytest.approx(0.5, abs=0.01)


class Scenes:
    """Every other image is a bathroom, the rest are streets; what is asked about is annotated where it is there."""

    name, licence = "made up", "none"
    rooms = (("sink", "toilet", "mirror"), ("car", "road", "traffic light"))

    def scene(self, image_id: str) -> SceneGraph:
        names = self.rooms[int(image_id.removeprefix("image-")) % 2]
        return SceneGraph(
            image_id=image_id,
            width=100,
            height=100,
            objects={name: SceneObject(id=name, name=name, box=Box(0, 0, 9, 9)) for name in names},
        )


def test_with_scenes_the_other_objects_of_the_image_tell(tmp_path: Path) -> None:
    plausibility = Plausibility(COUNTS, ONTOLOGY)
    usual = [plausibility.most_plausible(room, lambda _: True, least=40, most=40) for room in Scenes.rooms]
    fits = [[kind for kind in mine if kind not in other] for mine, other in (usual, usual[::-1])]
    probes = []
    for number in range(100):
        room, there = number % 2, number % 4 < 2
        kind = fits[room if there else 1 - room][number // 4 % 20]
        probes.append(question(number, "yes" if there else "no", exists(kind)))
    blind = check(tmp_path / "suite", probes).common_sense
    seen = check(tmp_path / "again", probes, scenes=Scenes()).common_sense
    assert blind is not None and seen is not None
    assert blind.high < 0.75
    assert seen.knows == "words and scenes"
    assert seen.low > 0.9
    assert seen.areas["image"] > 0.95


def test_a_caption_is_told_from_its_foil_by_what_is_usual(tmp_path: Path) -> None:
    probes = []
    for number in range(60):
        caption, foil = (f"There is a {kind[number]} here." for kind in (COMMON, RARE))
        items = [
            Item.make(
                suite="mine",
                test="foils",
                probe_id=f"p{number}",
                text=text,
                variant=variant,
                task="match",
                expects="prefer",
                image=ImageRef(f"image-{number}"),
            )
            for variant, text in enumerate((caption, foil))
        ]
        probes.append(Probe.of(*items))
    found = check(tmp_path / "suite", probes)
    assert (found.chance, found.majority) == (0.5, 0.5)
    assert found.common_sense is not None
    assert found.common_sense.low > 0.85


def test_words_that_nothing_is_known_of_are_said_to_be_so(tmp_path: Path) -> None:
    probes = [question(number, ("yes", "no")[number % 2], None, "Is this so?") for number in range(60)]
    found = check(tmp_path / "suite", probes)
    assert found.common_sense is None
    assert found.common_sense_reason == "only 0 of 60 name something that the counts of co-occurrence have"


def test_claims_are_told_from_what_is_taken_for_given() -> None:
    reader = ClaimReader(ONTOLOGY)
    red_car = HasAttribute(ObjectDescription("car", definite=True), "red")
    assert reader.of_yes_no("", query_to_json(red_car)) == Claims(
        attributes=(("car", "red"),), given=("car",), form="HasAttribute"
    )
    both = reader.of_yes_no("", query_to_json(And((exists("dog"), exists("cat")))))
    either = reader.of_yes_no("", query_to_json(Or((exists("dog"), exists("cat")))))
    assert both.kinds == either.kinds == ("dog", "cat")
    assert both.form != either.form
    caption, foil = reader.of_texts(["A black dog by a car.", "A black cat by a car."])
    assert (caption.kinds, foil.kinds, caption.given) == (("dog",), ("cat",), ("car",))
    sports = reader.of_options("What is the man on the skateboard doing?", ("running", "sitting"), None)
    assert sports[0].attributes == (("man", "running"),), "a skateboard does not run"
    assert reader.of_yes_no("Is there either a dog or a cat?", None).form == either.form
    colors = reader.of_options("What color is the car?", ("red", "blue"), None)
    assert [one.attributes for one in colors] == [(("car", "red"),), (("car", "blue"),)]
    animals = reader.of_options("Which animal is on the bed, the dog or the cat?", ("dog", "cat"), None)
    assert [one.kinds for one in animals] == [("dog",), ("cat",)]
    assert "bed" in animals[0].given
