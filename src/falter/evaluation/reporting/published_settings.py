"""What published figures belong to, and whether a suite and the scores of its runs are that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from falter.core.files import open_parquet
from falter.data.suite import ITEM_SCHEMA, SuiteManifest
from falter.evaluation.measures.outcomes import choose_subset
from falter.evaluation.measures.outcomes.coding import NONE
from falter.evaluation.measures.outcomes.reading import read_facets
from falter.evaluation.score_options import PLAIN, ScoreOptions

_IMPORTED = "falter import"

Value = str | bool | int | None
"""What a parameter may be; None stands for a parameter that the manifest does not have."""


class Setting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing that published figures belong to: all of its conditions must be met.

    ``text`` follows "they belong to". A condition lists all that is accepted, and where it lists nothing it is met.
    """

    text: str
    vqa_rule: tuple[str, ...] = ()
    subset: tuple[str | None, ...] = ()
    """Null stands for a suite whose pairs nobody has judged."""
    parameters: dict[str, tuple[Value, ...]] = {}
    """Of the manifest, ``a.b`` being a part of one: texts are patterns, and of a list one element has to match."""
    sources: tuple[str, ...] = ()
    """The names of data sets, of which the manifest must name one."""
    released: dict[str, tuple[int, ...]] = {}
    """How many probes each test has, where the suite was imported; a generated one has its own number."""
    files: tuple[str, ...] = ()
    """Patterns of which every imported file must match one."""
    imported: bool = False
    """Only for the released suite, not for a generated one."""
    tests: tuple[str, ...] = ()
    """The tests of the suite, all of these and no others."""
    holds: dict[str, str] = {}
    """Facets that some probe of the test has together."""
    only: dict[str, tuple[str, ...]] = {}
    """By facet the values that probes of the test may have."""
    most: dict[str, int] = {}
    """The largest number that a facet has in the suite."""


class UnshownFigures(msgspec.Struct, frozen=True):
    """Figures that are not shown: where they were published, and one thing that they belong to."""

    source: str
    text: str
    partly: bool = False
    """Whether other figures from there are shown."""


def format_unshown(unshown: Iterable[UnshownFigures]) -> list[str]:
    """One line a reason.

    >>> format_unshown([UnshownFigures("Table 3", "sets of 1"), UnshownFigures("Table 9", "sets of 1")])
    ['Published figures of Table 3 and Table 9 are not shown: they belong to sets of 1.']
    """
    by_reason: dict[str, dict[str, bool]] = {}
    for one in unshown:
        by_reason.setdefault(one.text, {})[one.source] = one.partly
    lines = []
    for text, sources in by_reason.items():
        whole = [source for source, partly in sources.items() if not partly]
        part = [source for source, partly in sources.items() if partly]
        figures = f"Published figures of {_join(whole)}" if whole else ""
        further = f"{', and further ones' if whole else 'Further published figures'} of {_join(part)}" if part else ""
        lines.append(f"{figures}{further}{',' if whole and part else ''} are not shown: they belong to {text}.")
    return lines


def _join(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


@dataclass(frozen=True)
class SuiteFacts:
    """What a suite is, and how the scores were counted that stand beside published figures."""

    manifest: SuiteManifest
    items_path: Path | None = None
    options: ScoreOptions = PLAIN
    _facets: dict[tuple[str, ...], dict[str, list[dict[str, str]]]] = field(default_factory=dict, repr=False)

    def meets(self, setting: Setting, test: str) -> bool:
        """Whether the figures of a setting describe a test of this suite."""
        parameters = self.manifest.parameters
        return (
            (not setting.vqa_rule or self.options.vqa_rule in setting.vqa_rule)
            and (not setting.subset or self._chosen_subset in setting.subset)
            and _has_parameters(setting, parameters)
            and (not setting.sources or any(name in setting.sources for name in self._source_names))
            and (not setting.imported or self._is_imported)
            and (not setting.tests or self._tests.keys() == {*setting.tests})
            and self._has_release(setting, test)
            and self._has_facets(setting, test)
        )

    @property
    def _is_imported(self) -> bool:
        return self.manifest.made_by.startswith(_IMPORTED)

    @cached_property
    def _chosen_subset(self) -> str | None:
        return self.options.subset if self.items_path is None else choose_subset(self.items_path, self.options.subset)

    @property
    def _source_names(self) -> list[Any]:
        return [source.get("name") for source in self.manifest.sources]

    @cached_property
    def _tests(self) -> Mapping[str, int]:
        """By test how many probes it has."""
        tests = self.manifest.counts.get("tests", {})
        return {name: one.get("probes", 0) for name, one in tests.items()} if isinstance(tests, dict) else {}

    def _has_release(self, setting: Setting, test: str) -> bool:
        """A summary of tests needs all of them."""
        if not self._is_imported:
            return True
        files = self.manifest.counts.get("files", {})
        if setting.files and not all(any(_fits(name.lower(), one) for one in setting.files) for name in files):
            return False
        wanted = setting.released
        checked = {test: wanted[test]} if test in wanted else wanted
        return all(self._tests.get(name) in sizes for name, sizes in checked.items())

    def _has_facets(self, setting: Setting, test: str) -> bool:
        names = tuple(sorted({*setting.holds, *setting.only, *setting.most}))
        if not names:
            return True
        by_test = self._facets.setdefault(names, {}) or self._read_facets(names)
        everywhere = [one for own in by_test.values() for one in own]
        found = by_test.get(test, everywhere)
        return (
            (not setting.holds or any(setting.holds.items() <= one.items() for one in found))
            and all(one.get(name) in values for name, values in setting.only.items() for one in found)
            and all(_most(everywhere, name) == number for name, number in setting.most.items())
        )

    def _read_facets(self, names: tuple[str, ...]) -> dict[str, list[dict[str, str]]]:
        """By test the combinations of some facets that its originals have."""
        found: dict[tuple[Any, ...], None] = {}
        file = None if self.items_path is None else open_parquet(self.items_path, ITEM_SCHEMA)
        for batch in file.iter_batches(["test", "variant", "facets"]) if file is not None else ():
            originals = batch.filter(pc.equal(batch["variant"], 0))
            facets = read_facets(pa.chunked_array([originals["facets"]]), names, optional=True)
            tests = originals["test"].cast(pa.string()).to_pylist()
            columns = [
                [facets[name].values[code] if code != NONE else None for code in facets[name].codes.tolist()]
                if name in facets
                else [None] * len(tests)
                for name in names
            ]
            found |= dict.fromkeys(zip(tests, *columns, strict=True))
        for test, *values in found:
            known = {name: value for name, value in zip(names, values, strict=True) if value is not None}
            self._facets[names].setdefault(test, []).append(known)
        return self._facets[names]


def _has_parameters(setting: Setting, parameters: Mapping[str, Any]) -> bool:
    """Whether the parameters are those of a setting."""
    return all(
        any(_fits(value, one) for value in _parameter(parameters, name) for one in wanted)
        for name, wanted in setting.parameters.items()
    )


def _parameter(parameters: Mapping[str, Any], name: str) -> Sequence[Any]:
    """The values of a parameter, or of a part of it after a full stop; None where there is none."""
    value: Any = parameters
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value if isinstance(value, list | tuple) else [value]


def _fits(value: Any, wanted: Value) -> bool:
    if isinstance(value, str) and isinstance(wanted, str):
        return fnmatchcase(value, wanted)
    # True is no 1.
    return type(value) is type(wanted) and value == wanted


def _most(found: Iterable[Mapping[str, str]], facet: str) -> int | None:
    numbers = [int(one[facet]) for one in found if one.get(facet, "").isdecimal()]
    return max(numbers, default=None)
