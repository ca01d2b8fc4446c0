"""GQA's native files are read, what is wrong in a graph is left out and counted, and broken files are named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from falter.core.errors import InputError, UsageError
from falter.core.files import map_json_object
from falter.data.sources import open_source
from falter.generation.scene import Box, Relation
from falter.generation.sources import HasQuestions, HasScenes
from falter.generation.sources.gqa import GqaScenes, open_gqa
from falter.generation.sources.protocol import FindsQuestions

GRAPH: dict[str, Any] = {
    "width": 100,
    "height": 80,
    "location": "kitchen",
    "weather": "none",
    "objects": {
        "11": {
            "name": "Cup ",
            "x": 10,
            "y": 10,
            "w": 20,
            "h": 20,
            "attributes": ["Red", "red", " small"],
            "relations": [{"name": "On", "object": "12"}],
        },
        "12": {"name": "table", "x": 0, "y": 30, "w": 100, "h": 50, "attributes": [], "relations": []},
    },
}
QUESTION = {
    "question": "Is there a cup?",
    "imageId": "1",
    "answer": "yes",
    "types": {"detailed": "existAttr", "semantic": "obj", "structural": "verify"},
    "semantic": [],
    "fullAnswer": "Yes, there is a cup.",
}


def graph_with(key: str, **changes: Any) -> dict[str, Any]:
    """The graph with one object changed or added."""
    plain = {"name": "dog", "x": 1, "y": 1, "w": 5, "h": 5, "attributes": [], "relations": []}
    objects: dict[str, Any] = GRAPH["objects"]
    return {**GRAPH, "objects": {**objects, key: {**objects.get(key, plain), **changes}}}


def write(folder: Path, graphs: Any, questions: Any = None) -> str:
    (folder / "train_sceneGraphs.json").write_text(graphs if isinstance(graphs, str) else json.dumps(graphs))
    if questions is not None:
        (folder / "train_balanced_questions.json").write_text(
            questions if isinstance(questions, str) else json.dumps(questions)
        )
    return f"gqa:{folder}"


def test_the_native_schema(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "1.JPG").touch()
    source = open_source(write(tmp_path, {"1": GRAPH, "2": {**GRAPH, "objects": {}}}, {"07": QUESTION}))
    assert list(source.image_ids()) == ["1", "2"]
    graph = source.scene("1")
    assert graph is not None
    assert (graph.width, graph.height, graph.location, graph.weather) == (100, 80, "kitchen", "none")
    assert graph.complete == frozenset()
    cup = graph.objects["11"]
    assert (cup.name, cup.attributes, cup.box) == ("cup", ("red", "small"), Box(10, 10, 20, 20))
    assert cup.relations == (Relation("on", "12"),)
    (question,) = source.questions()
    assert (question.id, question.image_id, question.text, question.answer) == ("07", "1", "Is there a cup?", "yes")
    assert (question.question_type, question.answer_type) == ("existAttr", "verify")
    assert [scene.image_id for scene in source.scenes()] == ["1", "2"]
    assert source.image_path("1") == tmp_path / "images" / "1.JPG"
    assert source.image_path("2") is None
    assert source.scene("3") is None
    described = source.describe()
    assert described["files"]["graphs"]["name"] == "train_sceneGraphs.json"
    assert len(described["files"]["graphs"]["sha256"]) == 64


def test_what_is_complete_is_read(tmp_path: Path) -> None:
    source = open_source(write(tmp_path, {"1": {**GRAPH, "complete": ["objects", "color"]}}))
    graph = source.scene("1")
    assert graph is not None
    assert graph.complete == {"objects", "color"}


FAULTS = [
    ({"name": "  "}, "object without a name"),
    ({"w": 0}, "box of no size or outside the image"),
    ({"h": -5}, "box of no size or outside the image"),
    ({"x": 100}, "box of no size or outside the image"),
    ({"y": -50, "h": 50}, "box of no size or outside the image"),
    ({"relations": [{"name": "on", "object": "99"}]}, "relation to a missing object"),
]


@pytest.mark.parametrize(("changes", "problem"), FAULTS)
def test_faults_within_a_graph_are_left_out_and_counted_once(
    tmp_path: Path, changes: dict[str, Any], problem: str
) -> None:
    source = open_source(write(tmp_path, {"1": graph_with("13", **changes)}))
    assert isinstance(source, GqaScenes)
    for _ in range(3):
        graph = source.scene("1")
        assert graph is not None
        assert {"11", "12"} <= set(graph.objects)
        assert all(one.target in graph.objects for thing in graph.objects.values() for one in thing.relations)
    assert source.problems == {problem: 1}


def test_a_relation_to_an_object_that_was_left_out_goes_too(tmp_path: Path) -> None:
    source = open_source(write(tmp_path, {"1": graph_with("12", w=0)}))
    assert isinstance(source, GqaScenes)
    graph = source.scene("1")
    assert graph is not None
    assert graph.objects["11"].relations == ()
    assert source.problems.total() == 2


def test_boxes_that_stick_out_are_clipped(tmp_path: Path) -> None:
    source = open_source(write(tmp_path, {"1": graph_with("13", x=-10, y=70, w=500, h=20)}))
    graph = source.scene("1")
    assert graph is not None
    assert graph.objects["13"].box == Box(0, 70, 100, 10)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "is empty"),
        ('{"1": {"width": 10', "is not GQA's JSON"),
        ("[1, 2]", "is not GQA's JSON"),
        ("null", "is not GQA's JSON"),
        ("{} {}", "is not GQA's JSON"),
        ("nonsense", "is not GQA's JSON"),
    ],
)
@pytest.mark.parametrize("which", ["graphs", "questions"])
def test_broken_files_are_named(tmp_path: Path, text: str, problem: str, which: str) -> None:
    path = tmp_path / "file.json"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        open_source(f"gqa:{which}={path}")
    assert caught.value.path == str(path)
    assert problem in caught.value.problem


def test_bytes_that_are_no_text_are_named(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(b'{"\xff\xfe": {}}')
    with pytest.raises(InputError):
        open_source(f"gqa:graphs={path}")


@pytest.mark.parametrize(
    "record",
    [
        *(3, None, [], "graph", {}, {"width": 1, "height": 1}, {**GRAPH, "width": "wide"}, {**GRAPH, "objects": []}),
        *(graph_with("13", x="left"), graph_with("13", name=None), graph_with("13", attributes="red")),
        *(graph_with("13", relations=["on"]), graph_with("13", relations=[{"name": "on"}])),
    ],
    ids=str,
)
def test_a_graph_of_another_form_is_named_by_its_image(tmp_path: Path, record: Any) -> None:
    source = open_source(write(tmp_path, {"1": GRAPH, "2": record}))
    assert source.scene("1") is not None
    with pytest.raises(InputError) as caught:
        source.scene("2")
    assert caught.value.record == "image '2'"
    assert "\n" not in str(caught.value)


def test_a_question_of_another_form_is_named_by_its_id(tmp_path: Path) -> None:
    source = open_source(write(tmp_path, {"1": GRAPH}, {"8": {"question": 3}, "9": {"question": None}}))
    with pytest.raises(InputError) as caught:
        list(source.questions())
    assert caught.value.record == "question '8'"


def test_hostile_image_ids_reach_no_file_outside(tmp_path: Path) -> None:
    folder = tmp_path / "gqa"
    (folder / "images").mkdir(parents=True)
    (tmp_path / "secret.jpg").touch()
    hostile = ["../../x", "../secret", "/etc/passwd", "..", "", "a\x00b", "images/1"]
    source = open_source(write(folder, dict.fromkeys(hostile, GRAPH)))
    for image in hostile:
        assert source.image_path(image) is None
        graph = source.scene(image)
        assert graph is not None
        assert graph.image_id == image


def test_questions_alone_name_the_images(tmp_path: Path) -> None:
    path = tmp_path / "questions.json"
    path.write_text(json.dumps({"1": QUESTION, "2": {**QUESTION, "imageId": "9"}, "3": QUESTION}))
    source = open_source(f"gqa:questions={path}")
    assert list(source.image_ids()) == ["1", "9"]
    assert isinstance(source, HasQuestions)
    assert not isinstance(source, HasScenes)


@pytest.mark.parametrize("spec", ["gqa", "gqa:", "", ":x"])
def test_specs_without_name_or_place_are_bad_use(spec: str) -> None:
    with pytest.raises(UsageError):
        open_source(spec)


def test_spec_errors_say_what_to_write(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown source 'ggqa'"):
        open_source("ggqa:somewhere")
    with pytest.raises(UsageError, match="is not key=path"):
        open_source("gqa:graphs=a,images")
    with pytest.raises(UsageError, match="no setting 'graph'"):
        open_source("gqa:graph=a.json")
    with pytest.raises(UsageError, match="needs graphs=FILE"):
        open_gqa({"images": str(tmp_path)})
    with pytest.raises(InputError, match="does not exist"):
        open_source(f"gqa:graphs={tmp_path / 'nothing.json'}")
    with pytest.raises(InputError, match="is not a folder"):
        open_source(f"gqa:{tmp_path / 'nothing'}")
    with pytest.raises(InputError, match="holds no scene graphs"):
        open_source(f"gqa:{tmp_path}")
    write(tmp_path, {"1": GRAPH})
    with pytest.raises(InputError, match="is not a folder of images"):
        open_source(f"gqa:graphs={tmp_path / 'train_sceneGraphs.json'},images={tmp_path / 'nothing'}")
    (tmp_path / "val_sceneGraphs.json").write_text("{}")
    with pytest.raises(InputError, match="several files"):
        open_source(f"gqa:{tmp_path}")


def test_the_licence_is_that_of_the_data(tmp_path: Path) -> None:
    folder = tmp_path / "world" / "val"
    folder.mkdir(parents=True)
    spec = write(folder, {"1": GRAPH})
    assert open_source(spec).licence == "not stated", "what is in GQA's format may be anybody's own"
    graphs = next(folder.glob("*sceneGraphs.json"))
    assert open_source(f"gqa:graphs={graphs},licence=CC BY 4.0").licence == "CC BY 4.0"
    (folder / "LICENSE.txt").write_text("\nOur own licence\nmore\n")
    assert open_source(spec).licence == "Our own licence"
    (tmp_path / "world" / "world.json").write_text(json.dumps({"licence": "Apache-2.0, ours"}))
    assert open_source(spec).licence == "Apache-2.0, ours"
    assert open_source(spec).describe()["licence"] == "Apache-2.0, ours"
    (folder / "world.json").write_text(json.dumps({"licence": "nearer"}))
    assert open_source(spec).licence == "nearer"


@pytest.mark.parametrize("content", ["", "[]", '{"worlds": 3}', '{"licence": 7}'])
def test_another_file_called_world_is_no_licence(tmp_path: Path, content: str) -> None:
    spec = write(tmp_path, {"1": GRAPH})
    (tmp_path / "world.json").write_text(content)
    assert open_source(spec).licence == "not stated"


def test_an_object_annotated_twice_is_one(tmp_path: Path) -> None:
    double = {**GRAPH["objects"]["11"], "attributes": ["red", "shiny"], "relations": [{"name": "near", "object": "11"}]}
    table = {**GRAPH["objects"]["12"], "relations": [{"name": "under", "object": "13"}]}
    objects = {**GRAPH["objects"], "12": table, "13": double}
    source = open_source(write(tmp_path, {"1": {**GRAPH, "objects": objects}}))
    assert isinstance(source, GqaScenes)
    graph = source.scene("1")
    assert graph is not None
    assert list(graph.objects) == ["11", "12"]
    assert graph.objects["11"].attributes == ("red", "small", "shiny")
    assert graph.objects["11"].relations == (Relation("on", "12"),)
    assert graph.objects["12"].relations == (Relation("under", "11"),)
    assert source.problems == {"object annotated twice": 1}


@pytest.mark.parametrize("indent", [None, 1, 12])
@pytest.mark.parametrize("key", ["7", '\u00fc:{"', "7" * 40])
def test_of_questions_with_one_id_the_first_is_used_and_the_others_are_counted(
    tmp_path: Path, indent: int | None, key: str
) -> None:
    texts = ["Is there a cup?", "Is there a table?", 'Is there a dog, a {cat} or a "bird"?', "Is there a bowl?"]
    keys = [key, "8", key, key]
    records = [json.dumps({**QUESTION, "question": text}, indent=indent) for text in texts]
    between = "" if indent is None else "\n" + " " * indent
    pairs = (f"{between}{json.dumps(one)}:{between}{record}" for one, record in zip(keys, records, strict=True))
    source = open_source(write(tmp_path, {"1": GRAPH}, "{" + ",".join(pairs) + "}"))
    assert isinstance(source, HasQuestions)
    assert [(one.id, one.text) for one in source.questions()] == [(key, texts[0]), ("8", texts[1])]
    assert source.problems == {"the id of a question appears twice": 2}


def test_of_graphs_with_one_id_the_first_is_used(tmp_path: Path) -> None:
    first, second = json.dumps(GRAPH), json.dumps({**GRAPH, "width": 640})
    source = open_source(write(tmp_path, f'{{"1":{first},"1":{second}}}'))
    assert isinstance(source, HasScenes)
    assert [graph.width for graph in source.scenes()] == [100]
    assert source.problems["the id of a scene graph appears twice"] == 1


def test_a_large_file_has_all_its_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("falter.core.files.json_reading._MANY", 10)
    path, one = tmp_path / "questions.json", json.dumps({"question": "?" * 300, "imageId": "1"})
    every = {str(number): msgspec.Raw(one.encode()) for number in range(50)}
    pairs = [f'"{number}":{one}' for number in every]
    for spaces in ("", " ", "\n", "\n" + " " * 9):
        path.write_text("{" + f",{spaces}".join(pairs) + "}")
        assert map_json_object(path, what="JSON") == (every, 0)
        path.write_text("{" + f",{spaces}".join([*pairs, f'"5":{one}']) + "}")
        assert map_json_object(path, what="JSON") == (every, 1)


def test_a_question_is_found_by_its_id(tmp_path: Path) -> None:
    source = open_source(write(tmp_path, {"1": GRAPH}, {"7": QUESTION, "8": {"question": 5}}))
    assert isinstance(source, FindsQuestions)
    assert [source.question(one.id) for one in source.questions()] == list(source.questions())
    assert source.question("8") is None
    assert source.question("9") is None
