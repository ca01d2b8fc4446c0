"""Names by which models of one name are told apart: by what was set differently, else by the folders of their runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from falter.reporting.report_data import ModelInfo
from falter.runs import Run

__all__ = ["distinct_names"]

_LONGEST_LABEL = 32


def distinct_names(infos: list[ModelInfo], runs: Sequence[Run], of_run: list[int]) -> list[ModelInfo]:
    """Models of one name get after it what was set differently for the same weights.

    Other weights, or what would be long to tell, are told by the folders of the runs; where these are the same too, by
    more of their paths.
    """
    infos = _name_by_settings(infos)
    folders: list[list[tuple[str, ...]]] = [[] for _ in infos]
    for run, model in zip(runs, of_run, strict=True):
        folders[model].append(run.folder.resolve().parts)
    # A folder that has the model's name says nothing more than it: the folders above do.
    above = [
        [parts[:-1] if parts[-1] == info.name else parts for parts in own]
        for own, info in zip(folders, infos, strict=True)
    ]
    names = [info.name for info in infos]
    for paths in (above, folders):
        for depth in range(1, max((len(parts) for own in paths for parts in own), default=0) + 1):
            counts = Counter(names)
            if max(counts.values(), default=0) < 2:
                break
            names = [
                name if counts[name] == 1 else f"{info.name} ({_name_folders(own, depth)})"
                for name, info, own in zip(names, infos, paths, strict=True)
            ]
    return [msgspec.structs.replace(info, name=name) for info, name in zip(infos, names, strict=True)]


def _name_folders(folders: Sequence[tuple[str, ...]], depth: int) -> str:
    """The ends of the folders of a model's runs: two of them, and how many more there are."""
    first, *others = dict.fromkeys("/".join(parts[-depth:]) for parts in folders)
    if len(others) > 1:
        return f"{first} and {len(others)} more"
    return ", ".join([first, *others])


def _name_by_settings(infos: Sequence[ModelInfo]) -> list[ModelInfo]:
    """The same weights run with other settings: "(repeat 3)". What has no setting of its own keeps the bare name."""
    found = list(infos)
    groups: dict[tuple[str, str], list[int]] = {}
    for index, info in enumerate(infos):
        groups.setdefault((info.name, info.fingerprint), []).append(index)
    of_name = Counter(name for name, _ in groups)
    for (name, _), own in groups.items():
        if len(own) < 2 or of_name[name] > 1:
            continue
        labels = [_differing(infos[index], [infos[other] for other in own]) for index in own]
        if len(set(labels)) == len(own) and all(len(label) <= _LONGEST_LABEL for label in labels):
            for index, label in zip(own, labels, strict=True):
                found[index] = msgspec.structs.replace(infos[index], name=f"{name} ({label})" if label else name)
    return found


def _differing(info: ModelInfo, group: Sequence[ModelInfo]) -> str:
    """A model's settings that not all of a group share, in words."""
    shared = set.intersection(*({*one.settings.items()} for one in group))
    return ", ".join(
        f"{key.replace('_', ' ')} {value}" for key, value in info.settings.items() if (key, value) not in shared
    )
