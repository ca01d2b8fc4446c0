"""Answers to published benchmarks as other harnesses write them: samples of lmms-eval, tables of VLMEvalKit."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from falter.core.errors import InputError
from falter.core.files import read_rows
from tests.suites.benchmarks.published import Scored, imported, json_file, json_lines
from tests.suites.benchmarks.releases import POPE, pope_text, write_hallusionbench, write_pope

SAID = {"random": ["Yes", "No", "No", "No."], "popular": ["No", "No", "Yes"], "adversarial": ["Yes", "Yes", ""]}
NAMES = ("index", "question", "answer", "category", "prediction")


def docs() -> list[dict[str, Any]]:
    return [
        {"question_id": str(number), "question": pope_text(name), "answer": label, "category": test, "said": said}
        for test in ("adversarial", "popular", "random")
        for number, ((name, label), said) in enumerate(zip(POPE[test], SAID[test], strict=True), start=1)
    ]


def table(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0], delimiter="\t" if path.suffix == ".tsv" else ",")
        writer.writeheader()
        writer.writerows(rows)
    return path


def check(scored: Scored) -> None:
    right = {
        test: [(label == "no") == ("No" in said) for (_, label), said in zip(POPE[test], SAID[test], strict=True)]
        for test in POPE
    }
    assert {test: scored.value("acc", test) for test in POPE} == {
        test: sum(own) / len(own) for test, own in right.items()
    }


def sample(number: int, one: Mapping[str, Any], *, keeps_doc: bool) -> dict[str, Any]:
    doc = {name: one[name] for name in ("question_id", "question", "answer", "category")}
    score = {"question_id": one["question_id"], "prediction": "x", "ground_truth": one["answer"]}
    kept = {"doc": {**doc, "image_source": "COCO_val2014_000000000042"}} if keeps_doc else {"input": one["question"]}
    return {"doc_id": number, "target": one["answer"], **kept, "filtered_resps": [one["said"]], "pope_f1_score": score}


@pytest.mark.parametrize("keeps_doc", [True, False])
@pytest.mark.parametrize("logs", [True, False])
def test_samples_of_lmms_eval(tmp_path: Path, keeps_doc: bool, logs: bool) -> None:
    suite = imported("pope", write_pope(tmp_path / "release"), tmp_path / "suite")
    rows = [sample(number, one, keeps_doc=keeps_doc) for number, one in enumerate(docs())]
    path = (
        json_file(tmp_path / "pope.json", {"args": {}, "logs": rows})
        if logs
        else json_lines(tmp_path / "samples_pope.jsonl", rows)
    )
    check(Scored(suite, path, tmp_path / "run"))


@pytest.mark.parametrize("ending", [".tsv", ".csv", ".xlsx"])
def test_a_table_of_vlmevalkit_names_all_files_of_a_question(tmp_path: Path, ending: str) -> None:
    suite = imported("pope", write_pope(tmp_path / "release"), tmp_path / "suite")
    by_question: dict[tuple[str, str, str], list[str]] = {}
    for one in reversed(docs()):
        by_question.setdefault((one["question"], one["answer"], one["said"]), []).append(one["category"])
    rows = [
        dict(zip(NAMES, (number, question, gold.capitalize(), ",".join(tests), said), strict=True))
        for number, ((question, gold, said), tests) in enumerate(by_question.items())
    ]
    path = tmp_path / f"M_POPE{ending}"
    scored = Scored(suite, spreadsheet(path, rows) if ending == ".xlsx" else table(path, rows), tmp_path / "run")
    check(scored)
    assert any("joined by question and gold answer" in note for note in scored.notes)


def test_an_index_of_vlmevalkit_names_a_question_of_hallusionbench(tmp_path: Path) -> None:
    suite = imported("hallusionbench", write_hallusionbench(tmp_path / "release"), tmp_path / "suite")
    items = suite.to_polars()
    rows = []
    for source_id, text, gold in items.select("source_id", "text", "gold").iter_rows():
        category, sub, *rest = source_id.split(":")
        rows.append({"index": "_".join((category, sub, "1", *rest)), "question": text, "prediction": f"{gold}, it is"})
    rows[0]["prediction"] = "I cannot tell."
    scored = Scored(suite, table(tmp_path / "M_HallusionBench.tsv", rows), tmp_path / "run")
    assert scored.value("a_acc", "all") == 5 / 6
    assert scored.value("f_acc", "VD") == 1 / 2


def spreadsheet(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    """An Excel file as its writers make it: some strings shared, some in place, empty cells left out."""
    shared: list[str] = []
    lines = []
    for number, cells in enumerate((list(rows[0]), *(list(row.values()) for row in rows)), start=1):
        parts = []
        for column, value in zip("ABCDEFGH", cells, strict=False):
            if isinstance(value, int):
                parts.append(f'<c r="{column}{number}"><v>{value}</v></c>')
            elif value and number % 2:
                shared.append(value)
                parts.append(f'<c r="{column}{number}" t="s"><v>{len(shared) - 1}</v></c>')
            elif value:
                parts.append(f'<c r="{column}{number}" t="inlineStr"><is><r><t>{value}</t></r></is></c>')
        lines.append(f'<row r="{number}">{"".join(parts)}</row>')
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    with ZipFile(path, "w") as archive:
        archive.writestr(
            "xl/worksheets/sheet1.xml", f"<worksheet {space}><sheetData>{''.join(lines)}</sheetData></worksheet>"
        )
        strings = "".join(f"<si><t>{one}</t></si>" for one in shared)
        archive.writestr("xl/sharedStrings.xml", f"<sst {space}>{strings}</sst>")
    return path


def test_cells_of_a_spreadsheet(tmp_path: Path) -> None:
    rows = [{"id": 7, "text": "a_x000D_b", "none": ""}, {"id": 8, "text": "", "none": "x"}]
    found = list(read_rows(spreadsheet(tmp_path / "a.xlsx", rows)))
    assert [row.record for row in found] == ["row 2", "row 3"]
    assert [dict(row.values) for row in found] == [
        {"id": 7, "text": "a\rb", "none": None},
        {"id": 8, "text": None, "none": "x"},
    ]


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 no archive", b"item_id,answer\n1,yes\n"])
def test_what_is_no_spreadsheet_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.xlsx").write_bytes(data)
    with pytest.raises(InputError, match="cannot be read as an Excel file"):
        list(read_rows(tmp_path / "a.xlsx"))


def test_doubled_and_broken_records_are_counted(tmp_path: Path) -> None:
    suite = imported("pope", write_pope(tmp_path / "release"), tmp_path / "suite")
    rows = [sample(number, one, keeps_doc=True) for number, one in enumerate(docs())]
    path = json_lines(tmp_path / "samples.jsonl", [*rows, {**rows[0], "filtered_resps": ["No"]}])
    path.write_text(path.read_text() + '{"doc_id": 3, "doc": {"ques')
    scored = Scored(suite, path, tmp_path / "run")
    check(scored)
    assert scored.notes[:3] == [
        "records of samples.jsonl that are no JSON, and are ignored: 1 (line 12)",
        "1 prediction in samples.jsonl is empty: it says nothing (adversarial:3)",
        "1 id in samples.jsonl comes again with another prediction: the first counts (adversarial:1)",
    ]
