"""Golden records: what commands print, by table, run, group and measure, in a form that renames do not touch."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

__all__ = [
    "FIELDS",
    "Key",
    "Records",
    "differences",
    "read_records",
    "rename_keys",
    "without_versions",
    "write_records",
]

DIGITS = 12
"""Significant digits of a number: a matrix product may round otherwise on another machine."""

RENAMED = {
    "needs_no_picture": "image_ablation",
    "beside": "with_image_run",
    "normal": "with_image",
    "blind": "ablated",
    "share": "retained",
    "every": "all_prompts",
    "reader": "baseline",
    "readers": "baselines",
    "judged": "interval_end",
    "coverage": "overlap",
    "covering": "run",
    "covered": "given",
}
"""Keys of printed JSON that have a new name; both names are read as the new one."""

SIGNATURE = "signature"
FIELDS: dict[str, tuple[str, ...]] = {
    "scores": ("value", "low", "high", "n", SIGNATURE),
    "r_score": ("value", "low", "high", "n", SIGNATURE),
    "image_ablation": (
        *("image", "with_image", "ablated", "retained", "low", "high"),
        *("difference", "difference_low", "difference_high", "n", SIGNATURE),
    ),
    "comparisons": (
        *("first", "second", "difference", "low", "high", "n"),
        *("only_first", "only_second", "p", "p_holm", "better", SIGNATURE),
    ),
    "overlap": ("value", "n", SIGNATURE),
    "checks": ("operator", "bound", "value", "low", "high", "n", "interval_end", "passed", SIGNATURE),
}
"""What a record of a table holds, in this order; a record of any other table is one value or a list of numbers."""

ESTIMATE = ("value", "low", "high", "n")


class Key(NamedTuple):
    """Where a value stands: of which suite, run or runs, in which group, under which name."""

    table: str
    of: str
    group: str
    name: str

    def __str__(self) -> str:
        return " / ".join(part for part in self if part)


Records = dict[Key, Any]


def rename_keys(printed: Any) -> Any:
    """Printed JSON with the new names of keys."""
    if isinstance(printed, Mapping):
        return {RENAMED.get(key, key): rename_keys(value) for key, value in printed.items()}
    return [rename_keys(one) for one in printed] if isinstance(printed, list) else printed


def rounded(value: Any) -> Any:
    """A value with its numbers, however deep, rounded."""
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    return [rounded(one) for one in value] if isinstance(value, list | tuple) else value


def group_name(group: Mapping[str, str | None]) -> str:
    """A group in one text: ``carets.negation[form=single]``."""
    facet = f"[{group['facet']}={group['value']}]" if group["facet"] is not None else ""
    return f"{group['suite']}.{group['test']}{facet}"


def own_signature(signature: str, group: Mapping[str, str | None], n: int) -> str:
    """A signature without versions, and without what the record says anyway."""
    known = {f"{group['suite']}:{group['test']}", f"{group['facet']}={group['value']}", f"n:{n}"}
    return "|".join(part for part in without_versions(signature).split("|") if part not in known)


def without_versions(signature: str) -> str:
    """A signature without the versions of the program and of the reader of answers."""
    return "|".join(part for part in signature.split("|") if not part.startswith(("falter:", "reader:")))


class Printed:
    """Collects what commands print."""

    def __init__(self) -> None:
        self.records: Records = {}

    def add(self, key: Key, value: Any) -> None:
        """Keep one value; the same place may not be filled twice."""
        assert key not in self.records, f"{key} is printed twice"
        self.records[key] = rounded(value)

    def row(self, table: str, of: str, row: Mapping[str, Any], name: str) -> None:
        """Keep one measured row of a table with a group."""
        told = {**row, SIGNATURE: own_signature(row[SIGNATURE], row["group"], row["n"])}
        self.add(Key(table, of, group_name(row["group"]), name), [told[field] for field in FIELDS[table]])

    def scores(self, printed: Any, of: str = "") -> None:
        """``falter score --json``; R_score apart, for it is to be defined anew."""
        for run in rename_keys(printed):
            name = of + Path(run["run"]).name
            for row in run["scores"]:
                self.row("r_score" if row["measure"] == "r_score" else "scores", name, row, row["measure"])
            ablation = run.get("image_ablation")
            if ablation is not None:
                beside = f"{Path(ablation['with_image_run']).name}, {name}"
                for row in ablation["scores"]:
                    self.row("image_ablation", beside, row, row["measure"])
            if "prompts" in run:
                self.prompts(run["prompts"])

    def prompts(self, printed: Mapping[str, Any]) -> None:
        """The part of ``falter score --json`` about several prompts."""
        runs = ", ".join(Path(one).name for one in printed["runs"])
        for row in printed["spread"]:
            told = {**row, SIGNATURE: own_signature(row[SIGNATURE], row["group"], row["n"])}
            measure = told.pop("measure")
            for one in told.values():
                if isinstance(one, dict):
                    one.pop("n", None)
            self.tree("prompt_spread", runs, group_name(told.pop("group")), told, measure)

    def comparisons(self, printed: Any) -> None:
        """``falter compare --json``."""
        of = ", ".join(Path(printed[side]["run"]).name for side in ("first", "second"))
        for row in rename_keys(printed)["comparisons"]:
            self.row("comparisons", of, row, row["measure"])

    def overlap(self, printed: Any) -> None:
        """``falter overlap --json``."""
        printed = rename_keys(printed)
        names = [Path(run["run"]).name for run in printed["runs"]]
        for row in printed["overlap"]:
            self.row("overlap", f"{names[row['run']]}, {names[row['given']]}", row, row["over"])

    def checks(self, of: str, printed: Any) -> None:
        """``falter check --json``."""
        for verdict in rename_keys(printed)["verdicts"]:
            row = {**verdict["requirement"], **verdict["score"], **verdict, "group": verdict["score"]["group"]}
            self.row("checks", of, row, verdict["requirement"]["text"])

    def tree(self, table: str, of: str, group: str, value: Any, name: str = "") -> None:
        """Any JSON: every leaf, and every estimate, under its path."""
        if isinstance(value, Mapping) and "value" in value and set(value) <= set(ESTIMATE):
            self.add(Key(table, of, group, name), [value[field] for field in ESTIMATE if field in value])
        elif isinstance(value, Mapping) and value:
            for key, one in value.items():
                self.tree(table, of, group, one, f"{name}.{key}" if name else str(key))
        elif isinstance(value, list) and any(isinstance(one, Mapping | list) for one in value):
            for number, one in enumerate(value):
                self.tree(table, of, group, one, f"{name}[{number}]")
        else:
            self.add(Key(table, of, group, name), value)

    def files(self, of: str, folder: Path, pattern: str) -> None:
        """The hash of every file, by its name."""
        paths = sorted(folder.glob(pattern))
        assert paths, f"{folder} has no {pattern}"
        for path in paths:
            self.add(Key("files", of, "", path.name), hashlib.sha256(path.read_bytes()).hexdigest())

    def images(self, of: str, folder: Path) -> None:
        """How many images there are, and one hash of their names and bytes."""
        digest = hashlib.sha256()
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
        for path in paths:
            digest.update(f"{path.relative_to(folder).as_posix()} {path.stat().st_size}\n".encode())
            digest.update(path.read_bytes())
        self.add(Key("files", of, "", "images"), f"{len(paths)} files {digest.hexdigest()}")

    def suite(self, of: str, folder: Path) -> None:
        """The bytes of a suite, and what its manifest says in other than words."""
        self.files(of, folder, "*.parquet")
        manifest = json.loads((folder / "suite.json").read_text())
        for prose in ("falter", "title", "licence", "notes", "checksum", "files"):
            manifest.pop(prose, None)
        manifest["sources"] = [source["name"] for source in manifest["sources"]]
        refused = manifest["counts"].get("refused")
        if refused is not None:
            manifest["counts"]["refused"] = sorted(refused.values())
        self.tree("suite.json", of, "", manifest)
        if (folder / "images").is_dir():
            self.images(of, folder / "images")


def write_records(path: Path, records: Records) -> None:
    """One line for every table, run and group, sorted; a signature that most records of a line share stands once."""
    lines: dict[tuple[str, str, str], dict[str, Any]] = {}
    for key, value in sorted(records.items()):
        lines.setdefault(key[:3], {})[key.name] = value
    with path.open("w") as file:
        for (table, of, group), values in lines.items():
            line: dict[str, Any] = {"table": table, "of": of, "group": group, "values": values}
            if SIGNATURE in FIELDS.get(table, ()):
                shared = Counter(value[-1] for value in values.values()).most_common(1)[0][0]
                shorter = {name: value[:-1] if value[-1] == shared else value for name, value in values.items()}
                line |= {SIGNATURE: shared, "values": shorter}
            file.write(json.dumps(line, separators=(",", ":"), ensure_ascii=False) + "\n")


def read_records(path: Path) -> Records:
    """What ``write_records`` wrote."""
    records: Records = {}
    for text in path.read_text().splitlines():
        line = json.loads(text)
        table, of, group = line["table"], line["of"], line["group"]
        for name, value in line["values"].items():
            if SIGNATURE in line and len(value) < len(FIELDS[table]):
                value.append(line[SIGNATURE])
            records[Key(table, of, group, name)] = value
    return records


def differences(golden: Mapping[Key, Any], found: Mapping[Key, Any]) -> Iterator[str]:
    """One line for everything that is missing, new or of another value.

    Contents that are null are as good as none: only the bundles that have something to say of foils do.
    """
    for key in sorted(golden.keys() | found.keys()):
        if key.table == "contents" and golden.get(key) is None and found.get(key) is None:
            continue
        if key not in found:
            yield f"{key}: is missing, was {golden[key]}"
        elif key not in golden:
            yield f"{key}: is new: {found[key]}"
        elif not _alike(golden[key], found[key]):
            yield f"{key}: {', '.join(_changes(key.table, golden[key], found[key]))}"


def _changes(table: str, golden: Any, found: Any) -> Iterable[str]:
    fields: Sequence[str] = FIELDS.get(table, ESTIMATE)
    if not isinstance(golden, list) or not isinstance(found, list) or not len(golden) == len(found) <= len(fields):
        return [f"was {golden}, is {found}"]
    told = zip(fields, golden, found, strict=False)
    return [f"{field} was {old}, is {new}" for field, old, new in told if not _alike(old, new)]


def _alike(golden: Any, found: Any) -> bool:
    if isinstance(golden, list) and isinstance(found, list):
        return len(golden) == len(found) and all(_alike(*both) for both in zip(golden, found, strict=True))
    if isinstance(golden, bool) or isinstance(found, bool):
        return golden is found
    if isinstance(golden, int | float) and isinstance(found, int | float):
        # Numbers on either side of a rounding differ by one in the last digit kept.
        return math.isclose(golden, found, rel_tol=1.1 * 10 ** (1 - DIGITS), abs_tol=10**-DIGITS)
    return bool(golden == found)
