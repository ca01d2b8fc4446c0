"""Tables that cannot be used: one clear line per fault, with file, record and remedy, and nothing written."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import falter
from falter.core.errors import FalterError
from tests.cli.in_process import falter_here

GOOD = "image,question,answer\n,Is it red?,yes\n"


def refused(folder: Path, name: str, content: str | bytes, *options: str) -> str:
    """What the command says of a file; it exits 2, names the file and leaves nothing behind."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    done = falter_here("import", "table", path, "--out", folder / "suite", *options)
    assert done.code == 2, (done.stdout, done.stderr)
    assert "internal error" not in done.stderr
    assert str(path) in done.stderr
    assert [one.name for one in folder.iterdir()] == [name]
    return done.stderr


CASES: dict[str, tuple[str, str | bytes, str]] = {
    "missing column": ("t.csv", "image,q,answer\n,Red?,yes\n", "has no column question"),
    "missing answer column": ("t.csv", "question,label\nRed?,yes\n", "has no column answer or answers"),
    "no question": ("t.csv", "image,question,answer\n,Red?,yes\n, ,no\n", "line 3: has no question"),
    "no answer": ("t.csv", "question,answer\nRed?,yes\nBlue?,\n", "line 3: has no answer"),
    "empty file": ("t.csv", "", "has no rows"),
    "empty lines": ("t.jsonl", "", "has no rows"),
    "header alone": ("t.csv", "question,answer\n", "has no rows"),
    "ragged": ("t.csv", "question,answer\nRed?,yes,x\n", "line 2: has another number of fields"),
    "open quote": ("t.csv", 'question,answer\n"Red?,yes\n', "cannot be read as CSV"),
    "no UTF-8": ("t.csv", b"question,answer\nR\xff?,yes\n", "cannot be read as CSV"),
    "column twice": ("t.csv", "question,question,answer\na,b,yes\n", "more than once"),
    "no object": ("t.jsonl", '{"question": "Red?", "answer": "yes"}\n[1]\n', "line 2"),
    "cut off": ("t.jsonl", '{"question": "Red?", "answer": "yes"}\n{"question":', "line 2"),
    "record for text": ("t.jsonl", '{"question": {"a": 1}, "answer": "yes"}', "line 1: has a record as question"),
    "list for text": ("t.jsonl", '{"question": ["a"], "answer": "yes"}', "line 1: has a list as question"),
    "no choice": ("t.jsonl", '{"question": "?", "answer": "c", "choices": ["a", "b"]}', "not among the choices a, b"),
    "choice twice": ("t.jsonl", '{"question": "?", "answer": "a", "choices": ["a", "A"]}', "has a choice twice"),
    "empty choice": (
        "t.jsonl",
        '{"question": "?", "answer": "a", "choices": ["a", ""]}',
        "an empty text among choices",
    ),
    "half a list": ("t.csv", 'question,answer,choices\n?,a,"[""a"", "\n', "no JSON list"),
    "id twice": ("t.csv", "id,question,answer\n1,a?,yes\n2,b?,no\n1,c?,no\n", "line 4: has the id '1', which line 2"),
    "set twice": ("t.csv", "set,question,answer\na,1?,yes\nb,2?,no\na,3?,no\n", "line 4: begins the set 'a' again"),
    "test named as a total": (
        "t.csv",
        "question,answer,test\n1?,yes,color\n2?,no,overall\n",
        "line 3: has the test 'overall', which is the name of a total",
    ),
    "no set": ("t.csv", "set,question,answer\na,1?,yes\n,2?,no\n", "line 3: has no set"),
    "no such image": (
        "t.csv",
        "image,question,answer\nx.png,a?,yes\n",
        "line 2: names the image 'x.png', which is not",
    ),
    "outside": ("t.csv", "image,question,answer\n../../etc/passwd,a?,yes\n", "which is not in"),
    "broken base64": ("t.csv", f"image,question,answer\n{'iVBORw0KGgo' + '*' * 80},a?,yes\n", "nor base64"),
    "base64 of nothing": ("t.csv", f"image,question,answer\n{'/9j/' + 'A' * 96},a?,yes\n", "no image"),
    "data URI": ("t.csv", 'image,question,answer\n"data:image/png,xyz",a?,yes\n', "data URI"),
    "huge cell": ("t.jsonl", json.dumps({"question": "a" * 200_000, "answer": "yes"}), "has 200,000 characters"),
    "expects what": (
        "t.csv",
        "question,variant,answer,expects\na?,b?,yes,equal\n",
        "expects 'equal', which is none of",
    ),
    "no contrast": ("t.csv", "question,variant,answer,expects\na?,b?,red,different\n", "has no variant_answer"),
    "contradiction": (
        "t.csv",
        "question,variant,answer,variant_answer,expects\na?,b?,yes,no,same\n",
        "expects same and has the answers",
    ),
    "no foil": ("t.csv", "caption,foil\na dog,\n", "line 2: has no foil"),
    "fits how": ("t.csv", "caption,answer\na dog,perhaps\n", "a caption fits or not"),
    "one image": ("t.csv", "image_1,image_2,caption_1,caption_2\n,x,a,b\n", "has no image_1"),
    "two forms": ("t.csv", "question,answer,caption,foil\na?,yes,b,c\n", "--column question="),
    "ending": ("t.xls", "x", "endings"),
}


@pytest.mark.parametrize("case", CASES)
def test_one_clear_line(tmp_path: Path, case: str) -> None:
    name, content, expected = CASES[case]
    options = ("--images", "none") if case == "one image" else ()
    said = refused(tmp_path, name, content, *options)
    assert expected in said
    assert said.count("falter: ") == 1
    assert "(" in said  # the remedy


def test_every_faulty_row_has_its_line(tmp_path: Path) -> None:
    rows = "".join(f"q{n}?,{'' if n % 2 else 'yes'}\n" for n in range(50))
    said = refused(tmp_path, "t.csv", f"question,answer\n{rows}").splitlines()
    assert ["line 3: has no answer" in said[0], "line 5: has no answer" in said[1]] == [True, True]
    assert said[-1] == "falter: 25 of 50 rows cannot be used, and nothing was written"
    assert len(said) == 21


def test_options_that_name_nothing(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(GOOD)
    for option, value, expected in (
        ("--column", "quest=q", "no column role 'quest'"),
        ("--column", "question", "is not ROLE=NAME"),
        ("--column", "question=q", "no column 'q' for question; its columns are image, question, answer"),
        ("--facet", "kind", "no column 'kind' for a facet"),
        ("--name", "valse", "choose another --name"),
        ("--expects", "equal", "equal"),
    ):
        done = falter_here("import", "table", tmp_path / "t.csv", "--out", tmp_path / "s", option, value)
        assert done.code == 2
        assert expected.split(";")[0] in done.stderr
    for content in ("- a\n", "columns: 7\n", "columns: {quest: q}\n", "columnz: {}\n", "columns: {question: [a]}\n"):
        (tmp_path / "map.yaml").write_text(content)
        done = falter_here(
            "import", "table", tmp_path / "t.csv", "--out", tmp_path / "s", "--columns", tmp_path / "map.yaml"
        )
        assert done.code == 2, content
        assert "map.yaml" in done.stderr
        assert "internal error" not in done.stderr


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbfquestion,answer\r\nIs it red?,yes\r\n",
        b'"question","answer"\n"Is it red?","yes"\n\n',
        b"question,answer\nIs it red?,yes",
    ],
)
def test_byte_order_marks_and_line_ends(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "t.csv").write_bytes(content)
    (one,) = falter.import_table(tmp_path / "t.csv", out=tmp_path / "suite").items()
    assert (one.text, one.gold) == ("Is it red?", "yes")


def test_texts_in_any_script_and_over_several_lines(tmp_path: Path) -> None:
    asked = ["Ist es grün?\nWirklich?", "これは赤ですか", 'He said "red"', "a, b; c\t|d"]
    pl.DataFrame({"question": asked, "answer": ["ja", "はい", "x", "y"]}).write_csv(tmp_path / "t.csv")
    found = falter.import_table(tmp_path / "t.csv", out=tmp_path / "suite").items()
    assert [one.text for one in found] == asked


def test_large_images_in_csv(tmp_path: Path) -> None:
    import base64
    import io

    from PIL import Image

    buffer = io.BytesIO()
    Image.effect_noise((500, 500), 90).save(buffer, "PNG")
    written = base64.b64encode(buffer.getvalue()).decode()
    assert len(written) > 150_000
    (tmp_path / "t.csv").write_text(f"image,question,answer\n{written},Is it red?,no\n")
    (one,) = falter.import_table(tmp_path / "t.csv", out=tmp_path / "suite").items()
    assert one.image is not None


def test_a_folder_that_is_no_dataset(tmp_path: Path) -> None:
    done = falter_here("import", "table", tmp_path, "--out", tmp_path / "s")
    assert (done.code, "no dataset" in done.stderr) == (2, True)
    (tmp_path / "dataset_dict.json").write_text('{"splits": ["test"]}')
    done = falter_here("import", "table", tmp_path, "--out", tmp_path / "s")
    assert (done.code, "holds several splits" in done.stderr) == (2, True)


cells = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.lists(st.text(max_size=3), max_size=3)
)
names = st.sampled_from(
    ["question", "variant", "answer", "answers", "choices", "caption", "foil", "set", "id", "image", "expects", "test"]
)


@given(st.lists(st.dictionaries(names, cells, max_size=6), min_size=1, max_size=5))
@settings(max_examples=60, deadline=None)
def test_any_rows_are_a_suite_or_an_error_of_ours(tmp_path_factory: pytest.TempPathFactory, rows: list[dict]) -> None:  # type: ignore[type-arg]
    folder = tmp_path_factory.mktemp("t")
    lines = [json.dumps(row) for row in rows]
    (folder / "t.jsonl").write_text(
        "\n".join(lines).replace("Infinity", "1e5").replace("NaN", "null").replace("-1e5", "0")
    )
    try:
        suite = falter.import_table(folder / "t.jsonl", out=folder / "suite", images="none")
    except FalterError as error:
        assert str(error)
        assert not (folder / "suite").exists()
    else:
        assert len(suite) >= 1
