"""Writing some of a suite's probes as a suite of its own: images, votes and manifest are carried over."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from falter.core.errors import InputError, UsageError
from falter.core.files import refuse_full_folder
from falter.data.items import Probe
from falter.data.suite import Suite, SuiteManifest
from falter.data.suite_writing import SUITE_FOLDER, SuiteWriter, create_suite
from falter.data.votes import Vote, read_votes, write_votes

__all__ = ["SubsampleRecord", "check_target", "write_subsample"]


class SubsampleRecord(NamedTuple):
    """What the manifest says of how probes were chosen."""

    made_by: str
    parameters: Mapping[str, Any]
    counts: Mapping[str, Any]


def write_subsample(
    suite: Suite,
    out: Path,
    keep: Callable[[Probe], bool],
    record: SubsampleRecord,
    *,
    overwrite: bool = False,
    change: Callable[[Probe], Probe] = lambda probe: probe,
    votes: Sequence[Vote] | None = None,
    inputs: Sequence[Path] = (),
) -> SuiteManifest:
    """Write the probes that are kept; texts and ids stay the same, and facets unless ``change`` sets them.

    ``votes`` take the place of the suite's own; ``inputs`` are files that were read besides the suite.

    The manifest says what the suite was made from and how, and holds the former parameters and counts under ``suite``.
    """
    inputs = check_target(suite, out, overwrite=overwrite, inputs=inputs)
    former = suite.manifest
    manifest = SuiteManifest(
        name=former.name,
        title=former.title,
        made_by=record.made_by,
        parameters={**record.parameters, "suite": {"made_by": former.made_by, "parameters": former.parameters}},
        seed=former.seed,
        sources=[*former.sources, {"suite": former.name, "items_sha256": former.items_sha256}],
        licence=former.licence,
        citation=former.citation,
        counts={"suite": former.counts, **record.counts},
        notes=list(former.notes),
    )
    ids: set[str] = set()
    probe_ids: set[str] = set()
    with create_suite(out, manifest, overwrite=overwrite, inputs=inputs) as writer:
        for probe in suite.probes():
            if keep(probe):
                writer.add(change(probe))
                probe_ids.add(probe.probe_id)
                for item in probe.items:
                    ids.add(item.item_id)
                    if item.image is not None:
                        _carry(suite, item.image, writer)
        if not probe_ids:
            raise InputError(suite.folder, "nothing of it would be left", hint="take more of its pairs")
        judged = read_votes(suite.folder) if votes is None else votes
        left = [vote for vote in judged if vote.probe_id in probe_ids or vote.item_id in ids]
        if left:
            write_votes(writer.folder, left)
    return manifest


def check_target(suite: Suite, out: Path, *, overwrite: bool, inputs: Sequence[Path] = ()) -> list[Path]:
    """Refuse a folder that holds what it must not, and that of the suite itself in any case; gives what is read."""
    if out.resolve() == suite.folder.resolve():
        raise UsageError(f"{out} is the suite itself; choose another --out")
    inputs = [suite.folder, *inputs]
    refuse_full_folder(out, overwrite=overwrite, kind=SUITE_FOLDER, inputs=inputs)
    return inputs


def _carry(suite: Suite, image: str, writer: SuiteWriter) -> None:
    """Copy an image of the suite's own folder; one that is linked stays where it is, one that is absent stays so."""
    name = Path(image)
    if name.is_absolute():
        writer.refuse_replaced(name)
    if name.is_absolute() or ".." in name.parts or (writer.folder / name).exists():
        return
    found = suite.image_folders.find(image)
    if found is None or not found.is_file():
        return
    target = writer.folder / name
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(found, target)
