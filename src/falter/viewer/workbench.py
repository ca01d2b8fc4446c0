"""Everything that one viewer shows: the indices of its suites, its models, and the comments beside the runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from falter.errors import UsageError
from falter.reporting.failures import ModelRun
from falter.reporting.manifest_info import distinct_suites, model_infos, report_title
from falter.reporting.memory import release_memory
from falter.runs import Run
from falter.viewer.comments import Comment, CommentFile
from falter.viewer.pair_index import PairIndex

__all__ = ["Workbench"]


class Workbench:
    """Runs of one suite or several, ready to be looked at."""

    def __init__(
        self,
        runs: Sequence[Run],
        *,
        subset: str | None = None,
        progress: Callable[[str], None] = lambda _: None,
    ) -> None:
        runs = list({run.folder.resolve(): run for run in runs}.values())
        if not runs:
            raise UsageError("there is no run to view")
        suites = distinct_suites(runs)
        self.models, model_of_run = model_infos(runs)
        self.model_numbers = {model.name: number for number, model in enumerate(self.models)}
        self.folders: list[list[str]] = [[] for _ in self.models]
        for run, model in zip(runs, model_of_run, strict=True):
            self.folders[model].append(str(run.folder))
        title = report_title(self.models, suites.values()).replace("Where ", "", 1)
        # The name of a model stays as it is.
        self.title = title if len(self.models) == 1 else title[0].upper() + title[1:]
        self.indices: list[PairIndex] = []
        self._comments: list[dict[int, CommentFile]] = []
        for fingerprint, suite in suites.items():
            own = [
                ModelRun(run, model)
                for run, model in zip(runs, model_of_run, strict=True)
                if run.manifest.suite.fingerprint == fingerprint
            ]
            progress(suite.name)
            self.indices.append(PairIndex(suite, own, subset))
            self._comments.append({one.model: CommentFile(one.run.folder) for one in own})
            release_memory(suite)

    @property
    def version(self) -> int:
        """Grows whenever replies of a run under way are read."""
        return sum(index.version for index in self.indices)

    def refresh(self) -> None:
        """Read again what has been added to runs under way."""
        for index in self.indices:
            index.refresh()

    def is_complete(self, model: int) -> bool:
        """Whether every run of a model is complete."""
        own = [column for index in self.indices for column in index.columns if column.model == model]
        return all(column.run.manifest.complete for column in own)

    def comments(self, place: int) -> dict[tuple[str, int], list[tuple[int, Comment]]]:
        """By pair of a suite its comments, each with the model that it is about."""
        found: dict[tuple[str, int], list[tuple[int, Comment]]] = {}
        for model, file in self._comments[place].items():
            for one in file.all():
                found.setdefault((one.probe_id, one.variant), []).append((model, one))
        return found

    def commented(self, place: int) -> npt.NDArray[np.bool_]:
        """By pair whether there is a comment on it."""
        index = self.indices[place]
        keys = self.comments(place)
        found = np.zeros(len(index), dtype=bool)
        probes = {probe_id for probe_id, _ in keys}
        rows = np.flatnonzero(index.probe_id.is_in(sorted(probes)).to_numpy()) if probes else ()
        for row in rows:
            found[row] = (index.probe_id[int(row)], int(index.number[index.variant[row]])) in keys
        return found

    def add_comment(self, place: int, row: int, model: int, text: str) -> Comment | None:
        """Keep a comment on a pair beside the run of a model; None where there is no such pair or model."""
        if not (0 <= place < len(self.indices) and 0 <= row < len(self.indices[place])):
            return None
        file = self._comments[place].get(model)
        if file is None:
            return None
        index = self.indices[place]
        return file.add(index.probe_id[row], int(index.number[index.variant[row]]), text)

    def delete_comment(self, model: int, comment_id: str) -> bool:
        """Take a comment away; False where there is none."""
        files: list[Any] = [own[model] for own in self._comments if model in own]
        return any(file.delete(comment_id) for file in files)
