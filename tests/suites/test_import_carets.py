"""Small files in the released form of CARETS become the suite they describe, or are refused by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from falter.core.errors import InputError
from falter.core.files import sha256_of_file
from falter.data.items import ImageRef, Item, Probe
from falter.data.suite import open_suite
from falter.generation.authoring.importer import ImportLog, import_suite, load_importer
from falter.generation.authoring.options import ImportOptions
from falter.suites.carets.obfuscation import OBFUSCATIONS
from falter.suites.carets.options import CaretsImportOptions
from falter.suites.carets.release import CARETS_RELEASE
from tests.cli.commands import falter, refused


def question(name: str, text: str, answer: str, **more: Any) -> dict[str, Any]:
    assignment = more.pop("assignment", {"attrs1": [], "obj1": "dog", "obj1_id": "77"})
    return {
        "img_id": name.split("-", maxsplit=1)[0],
        "label": {answer: 1.0},
        "question_id": name,
        "sent": text,
        "question_type": "whatever",
        "assignment": assignment,
        **more,
    }


NEGATION = [
    question("12-1-4-n", "Is there no cat ?", "yes", assignment={"obj1": "cat", "obj1_id": None}),
    question("11-0-3", "Is there a dog?", "yes"),
    question("12-1-4", "Is there a cat ?", "no", assignment={"obj1": "cat", "obj1_id": None}),
    question("11-0-3-n", "Is there no dog?", "no"),
]
CHOICES = {"category-options1": ["red", "blue", "green"], "obj1": "car", "obj1_id": "5", "obj2": "man", "obj2_id": "6"}
TURNED = {**CHOICES, "category-options1": ["green", "red", "blue"]}
TWO = {"obj1": "dog", "obj1_id": "77", "obj2": "cat", "obj2_id": None}
FILES: dict[str, list[dict[str, Any]]] = {
    "object_verification_negation_test.json": NEGATION,
    "attribute_choice_rel_symmetric_test.json": [
        question("11-2-9", "What color is the car near the man, red, blue or green", "red", assignment=CHOICES),
        question("11-2-9-s", "What color is the car near the man, green, red or blue", "red", assignment=TURNED),
    ],
    "object_verification_disjunction_template_test.json": [
        question("13-0-2", "Is there either a dog or a cat?", "yes", assignment=TWO),
        question("13-0-2-t", "Do you see either a dog or a cat?", "yes", assignment=TWO, new_template_number=11),
    ],
    "object_verification_ontology_ontology_test.json": [
        question("14-0-1", "Is there a dog?", "no"),
        question("14-0-1-h", "Is there a poodle?", "no"),
        question("15-0-1", "Is there a dog?", "yes"),
        question("15-0-1-h", "Is there an animal?", "yes"),
    ],
}


def release(folder: Path, files: dict[str, Any] = FILES) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, questions in files.items():
        (folder / name).write_text(questions if isinstance(questions, str) else json.dumps(questions))
    return folder


def imported(tmp_path: Path, **options: Any) -> dict[str, Probe]:
    import_suite(load_importer("carets"), release(tmp_path / "in"), tmp_path / "out", ImportOptions(**options))
    return {probe.probe_id: probe for probe in open_suite(tmp_path / "out").probes()}


def test_partners_meet_however_far_apart_they_stand(tmp_path: Path) -> None:
    probes = imported(tmp_path)
    assert len(probes) == 6
    cat = probes["object_verification_negation-12-1-4"]
    assert [item.text for item in cat.items] == ["Is there a cat ?", "Is there no cat ?"]
    assert [item.gold for item in cat.items] == ["no", "yes"]
    assert [item.source_id for item in cat.items] == ["12-1-4", "12-1-4-n"]
    assert {item.expects for item in cat.items} == {"different"}
    assert {item.test for item in cat.items} == {"negation"}
    assert {item.choices for item in cat.items} == {("yes", "no")}
    assert json.loads(cat.original.extra or "") == {
        "file": "object_verification_negation_test.json",
        "objects": [{"name": "cat", "id": None}],
    }


def test_choices_come_from_the_file_in_the_order_of_each_question(tmp_path: Path) -> None:
    car = imported(tmp_path)["attribute_choice_rel_symmetric-11-2-9"]
    assert [item.choices for item in car.items] == [("red", "blue", "green"), ("green", "red", "blue")]
    assert car.original.text == "What color is the car near the man, red, blue or green"
    assert car.original.test == "order"
    assert car.original.expects == "same"
    assert car.original.facets == {
        "type": "attribute_choice",
        "form": "related",
        "question": "multi-choice",
        "choices": "3",
        "answer": "red",
        "template": "attribute_choice-related-9",
    }
    assert json.loads(car.original.extra or "")["objects"] == [{"name": "car", "id": "5"}, {"name": "man", "id": "6"}]


def test_facets_tell_logic_template_and_direction(tmp_path: Path) -> None:
    probes = imported(tmp_path)
    either = probes["object_verification_disjunction_template-13-0-2"]
    assert either.original.facets["logic"] == "disjunction"
    assert either.original.facets["truth"] == "TF"
    assert either.original.facets["choices"] == "binary"
    assert [item.facets["template"].rsplit("-", 1)[1] for item in either.items] == ["2", "11"]
    stem = "object_verification_ontology_ontology"
    assert probes[f"{stem}-14-0-1"].original.facets["direction"] == "hyponym"
    assert probes[f"{stem}-15-0-1"].original.facets["direction"] == "hypernym"


def test_the_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    release(tmp_path / "in")
    for name in ("one", "two"):
        import_suite(load_importer("carets"), tmp_path / "in", tmp_path / name)
    for name in ("suite.json", "items.parquet"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_pictures_are_found_by_id_and_those_that_are_not_are_counted(tmp_path: Path) -> None:
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    Image.new("RGB", (40, 30), "red").save(pictures / "11.jpg")
    (pictures / "12.jpg").write_bytes(b"no picture at all")
    probes = imported(tmp_path, image_dir=pictures)
    found = probes["object_verification_negation-11-0-3"].original
    assert found.image == "images/11.jpg"
    shown: dict[str, Any] = {"suite": "any", "test": "any", "probe_id": "any", "choices": ("yes", "no")}
    image = ImageRef("any", sha256=found.image_sha256)
    assert found.item_id == Item.make(text=found.text, image=image, **shown).item_id
    without = probes["object_verification_negation-12-1-4"].original
    assert without.image is None
    assert without.image_sha256 is None
    assert without.item_id == Item.make(text=without.text, image=ImageRef("12"), **shown).item_id
    counts = open_suite(tmp_path / "out").manifest.counts
    assert (counts["pictures"], counts["pictures_not_found"]) == (1, 4)


def test_linked_pictures_stay_where_they_are(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    Image.new("RGB", (40, 30), "red").save(tmp_path / "pictures" / "11.png")
    probes = imported(tmp_path, image_dir=tmp_path / "pictures", images="link")
    assert probes["object_verification_negation-11-0-3"].original.image == str(tmp_path / "pictures" / "11.png")
    assert not (tmp_path / "out" / "images").exists()


BOXES = {
    "77": ("dog", 10, 10, 60, 50),
    "5": ("car", 200, 40, 10, 8),
    "6": ("man", 150, 100, 40, 90),
    "9": ("tree", 0, 150, 40, 40),
}


@pytest.fixture
def gqa(tmp_path: Path) -> str:
    """Noise for pictures 11 to 14, with scene graphs for all of them but 14; the dog of 13 has no box."""
    (tmp_path / "gqa" / "images").mkdir(parents=True)
    graphs: dict[str, Any] = {}
    for image_id in ("11", "12", "13", "14"):
        noise = np.random.default_rng(int(image_id)).integers(0, 256, (50, 75), dtype=np.uint8)
        coarse = Image.fromarray(noise).convert("RGB").resize((300, 200), Image.Resampling.NEAREST)
        coarse.save(tmp_path / "gqa" / "images" / f"{image_id}.jpg", quality=95)
        objects = {
            key: {"name": name, "x": x, "y": y, "w": w, "h": h}
            for key, (name, x, y, w, h) in BOXES.items()
            if (image_id, key) != ("13", "77")
        }
        graphs[image_id] = {"width": 300, "height": 200, "objects": objects}
    del graphs["14"]
    (tmp_path / "gqa" / "val_sceneGraphs.json").write_text(json.dumps(graphs))
    return f"gqa:{tmp_path / 'gqa'}"


def seen(tmp_path: Path, gqa: str) -> dict[str, Probe]:
    probes = imported(tmp_path, image_dir=tmp_path / "gqa" / "images", release_options=CaretsImportOptions(scenes=gqa))
    return {name: probe for name, probe in probes.items() if probe.original.test == "visual"}


def pixels(suite: Path, item: Item) -> np.ndarray[Any, np.dtype[np.int16]]:
    assert item.image is not None
    with Image.open(suite / item.image) as picture:
        return np.asarray(picture.convert("RGB"), dtype=np.int16)


def test_questions_with_picture_and_graph_are_asked_again_over_views(tmp_path: Path, gqa: str) -> None:
    probes = seen(tmp_path, gqa)
    dog = "visual-object_verification_negation-11-0-3"
    assert sorted(probes) == [
        "visual-attribute_choice_rel_symmetric-11-2-9",
        dog,
        "visual-object_verification_negation-12-1-4",
    ]
    for probe in probes.values():
        assert [item.facets.get("obfuscation") for item in probe.items] == [None, *OBFUSCATIONS]
        assert {(item.test, item.expects, item.suite) for item in probe.items} == {("visual", "same", "carets")}
        assert len({(item.text, item.gold, item.choices, item.source_id, item.extra) for item in probe.items}) == 1
        assert len({item.item_id for item in probe.items}) == 6
    published = next(probe for probe in open_suite(tmp_path / "out").probes() if f"visual-{probe.probe_id}" == dog)
    assert probes[dog].original.item_id == published.original.item_id, "asked once, counted in both tests"
    suite = open_suite(tmp_path / "out")
    for item in suite.items():
        if item.test == "visual":
            assert item.image is not None
            assert sha256_of_file(tmp_path / "out" / item.image) == item.image_sha256
    assert suite.manifest.counts["tests"]["visual"]["probes"] == 3
    assert suite.manifest.counts["refused"] == {
        "visual: an object of the question has no box in the scene graph": 1,
        "visual: the picture has no scene graph": 1,
        "visual: the picture is not at hand": 1,
    }
    assert [source["name"] for source in suite.manifest.sources] == ["carets as released", "gqa"]


def test_what_is_asked_about_stays_and_the_rest_goes(tmp_path: Path, gqa: str) -> None:
    probes = seen(tmp_path, gqa)
    suite = tmp_path / "out"

    def kept(probe: Probe) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        shown = {item.facets.get("obfuscation"): pixels(suite, item) for item in probe.items}
        # Noise is nowhere like the even colour of the mask.
        return np.abs(shown["mask"] - shown[None]).mean(axis=2) < 12, shown["crop"]

    mask, crop = kept(probes["visual-object_verification_negation-11-0-3"])
    assert crop.shape == (50, 60, 3)
    assert mask[12:58, 12:68].mean() > 0.95
    mask[8:62, 8:72] = False
    assert mask.mean() < 0.1

    # The car is 10 by 8 and grows to 32 by 32, from 189 to 221 and from 28 to 60; the man beside it stays as well.
    mask, crop = kept(probes["visual-attribute_choice_rel_symmetric-11-2-9"])
    assert crop.shape == (190 - 28, 221 - 150, 3)
    assert mask[30:58, 191:219].mean() > 0.95
    assert mask[102:188, 152:188].mean() > 0.95

    # There is no cat: one of the annotated boxes stands in for it.
    _, crop = kept(probes["visual-object_verification_negation-12-1-4"])
    assert crop.shape[:2] in [(max(32, h), max(32, w)) for _, _, _, w, h in BOXES.values()]


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_draw_keeps_to_its_number_and_workers_change_nothing(tmp_path: Path, gqa: str) -> None:
    every = set(seen(tmp_path, gqa))
    folder, pictures = tmp_path / "in", tmp_path / "gqa" / "images"
    made = []
    for most, workers in ((2, 1), (2, 2), (9, 1)):
        out = tmp_path / f"{most}-{workers}"
        own = CaretsImportOptions(scenes=gqa, visual_size=most)
        options = ImportOptions(release_options=own, image_dir=pictures, workers=workers)
        import_suite(load_importer("carets"), folder, out, options)
        made.append({probe.probe_id for probe in open_suite(out).probes() if probe.original.test == "visual"})
    assert len(made[0]) == 2
    assert made[0] < every == made[2]
    assert files_of(tmp_path / "2-1") == files_of(tmp_path / "2-2")


def test_a_damaged_picture_costs_its_own_questions_alone(tmp_path: Path, gqa: str) -> None:
    path = tmp_path / "gqa" / "images" / "12.jpg"
    path.write_bytes(path.read_bytes()[:9000])
    assert {probe.original.image_id for probe in seen(tmp_path, gqa).values()} == {"11"}
    refused = open_suite(tmp_path / "out").manifest.counts["refused"]
    assert sum(refused.values()) == 4


def test_the_command_makes_the_visual_test(tmp_path: Path, gqa: str) -> None:
    given = ("import", "carets", release(tmp_path / "in"), "--out", tmp_path / "out")
    assert "--image-dir" in refused(*given, "--scenes", gqa)
    assert "--scenes" in refused(*given, "--visual-size", "3")
    assert not (tmp_path / "out").exists()
    done = falter(
        *given, "--image-dir", tmp_path / "gqa" / "images", "--scenes", gqa, "--visual-size", "1", "--images", "link"
    )
    assert done.returncode == 0, done.stderr
    assert "visual: 1 probe" in done.stdout
    assert "rejected 1 x: visual: the picture is not at hand" in done.stderr
    (probe,) = (probe for probe in open_suite(tmp_path / "out").probes() if probe.original.test == "visual")
    assert (probe.original.image or "").startswith(str(tmp_path / "gqa"))
    assert sorted(item.image or "" for item in probe.variants) == sorted(
        f"images/{path.name}" for path in (tmp_path / "out" / "images").iterdir()
    )


def test_other_files_are_left_aside_and_ids_of_several_questions_told(tmp_path: Path) -> None:
    folder = release(tmp_path / "in", {**FILES, "README.md": "hello", "object_verification_visual_test.json": "[]"})
    again = [question("11-0-3", "Is there a bed?", "yes"), question("11-0-3-t", "Do you see a bed?", "yes")]
    release(folder, {"object_verification_template_test.json": again})
    done = falter("import", "carets", folder, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "negation: 2 pairs" in done.stdout
    assert "README.md" in done.stderr
    assert "object_verification_visual_test.json" in done.stderr
    counts = open_suite(tmp_path / "out").manifest.counts
    assert counts["skipped_files"] == ["README.md", "object_verification_visual_test.json"]
    assert counts["ids_of_several_questions"] == 1
    assert counts["files"]["object_verification_negation_test.json"] == 2


def changed(place: int, **fields: Any) -> list[dict[str, Any]]:
    return [{**one, **fields} if number == place else one for number, one in enumerate(NEGATION)]


@pytest.mark.parametrize(
    ("questions", "record", "problem"),
    [
        ("{", None, "is not a JSON list"),
        ('{"a": 1}', None, "is not a JSON list"),
        ([{"img_id": "1"}], "record 1", "is not a question"),
        (changed(1, label={}), "record 2 (11-0-3)", "0 right answers"),
        (changed(1, label={"yes": 1.0, "no": 0.5}), "record 2 (11-0-3)", "2 right answers"),
        (changed(1, label={"dog": 1.0}), "record 2 (11-0-3)", "not among yes, no"),
        (changed(1, question_id="11"), "record 2 (11)", "does not read"),
        (changed(1, question_id="11-0-3-t"), "record 2 (11-0-3-t)", "does not read"),
        (changed(1, sent="  "), "record 2 (11-0-3)", "empty text"),
        (changed(1, assignment={"category-options1": ["yes"]}), "record 2 (11-0-3)", "choices"),
        (changed(1, question_id="12-1-4"), "record 3 (12-1-4)", "same id"),
        (changed(1, label={"no": 1.0}), "11-0-3-n", "another answer"),
        (changed(1, img_id="99"), "11-0-3-n", "another picture"),
        (NEGATION[:3], "11-0-3", "no partner with the id 11-0-3-n"),
        (NEGATION[:2], "12-1-4-n", "no partner with the id 12-1-4"),
    ],
)
def test_a_malformed_file_is_named_with_its_record(
    tmp_path: Path, questions: Any, record: str | None, problem: str
) -> None:
    folder = release(tmp_path / "in", {"object_verification_negation_test.json": questions})
    with pytest.raises(InputError) as caught:
        import_suite(load_importer("carets"), folder, tmp_path / "out")
    assert caught.value.path.endswith("object_verification_negation_test.json")
    assert caught.value.record == record
    assert problem in caught.value.problem
    assert not (tmp_path / "out").exists()


def test_the_command_refuses_what_is_no_release(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "no question file of CARETS" in refused("import", "carets", tmp_path / "empty", "--out", tmp_path / "out")
    assert "is not a folder" in refused("import", "carets", tmp_path / "nowhere", "--out", tmp_path / "out")
    assert "unknown released suite" in refused("import", "nothing", tmp_path / "empty", "--out", tmp_path / "out")
    folder = release(tmp_path / "in")
    pictures = tmp_path / "none"
    assert "images" in refused("import", "carets", folder, "--image-dir", pictures, "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_overlong_number_in_an_id_is_named(tmp_path: Path) -> None:
    record = {
        "img_id": "7",
        "label": {"yes": 1},
        "sent": "Is it?",
        "assignment": {},
        "question_id": f"7-0-{'9' * 5000}",
    }
    (tmp_path / "object_verification_negation_test.json").write_text(json.dumps([record]))
    with pytest.raises(InputError, match="has an id that does not read image-number-template"):
        list(CARETS_RELEASE._released(tmp_path, ImportLog()))
