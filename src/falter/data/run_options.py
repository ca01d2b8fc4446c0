"""The options of a run: declared once, for the command line, Python and the generated references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from falter.data.image_mode import ImageInput
from falter.data.model_options import ModelOptions

PathOrStr = str | PathLike[str]
_UNTIL = ("--until",)


class RunOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What :func:`falter.run` and ``falter run`` take besides the suite and the models.

    In the ``extra`` of a field, ``type`` is the type on the command line where Python takes more, ``needs`` names the
    options without which it has no effect, ``rare`` leaves it to ``--help-all``, and ``python`` to Python.
    """

    out: Annotated[
        PathOrStr | None,
        Meta(
            description="The run's folder; several runs get a folder each in it. Default: runs/MODEL-SUITE.",
            extra={"type": Path | None, "metavar": "DIR"},
        ),
    ] = None
    limit: Annotated[
        int | None,
        Meta(
            description="Number of whole probes, drawn evenly over the tests; can be raised in place. Default: all.",
            extra={"metavar": "PROBES"},
        ),
    ] = None
    seed: Annotated[
        int,
        Meta(
            description="Random seed of --limit and of --image-input shuffle.",
            extra={
                "metavar": "S",
                "needs": ("--limit", "--image-input shuffle", "--random-order", "--until", "--helpers"),
            },
        ),
    ] = 0
    image_input: Annotated[
        str | Sequence[str | None] | None,
        Meta(
            description="Image ablation: no image, a gray image, or the image of another item.",
            extra={"type": ImageInput | None, "metavar": "none|blank|shuffle"},
        ),
    ] = None
    prompt: Annotated[
        str | Sequence[str] | None,
        Meta(
            description="Prompt: standard, plain, tagged, or a YAML file; may be repeated for a run under each. "
            "Default: the one that suits the model.",
            extra={"type": tuple[str, ...], "metavar": "NAME|FILE"},
        ),
    ] = None
    batch_size: Annotated[
        int | None, Meta(description="Items per batch. Default: what the model declares.", extra={"metavar": "N"})
    ] = None
    cache: Annotated[
        PathOrStr | None,
        Meta(description="Store replies here, and reuse stored ones.", extra={"type": Path | None, "metavar": "DIR"}),
    ] = None
    scenes: Annotated[
        Any,
        Meta(
            description="Scene graphs of the images, for builtin:oracle and noisy-oracle.",
            extra={"type": str | None, "metavar": "SOURCE"},
        ),
    ] = None
    train: Annotated[
        Any,
        Meta(
            description="Questions to train on, for prior, blind and bow-image.",
            extra={"type": str | None, "metavar": "SOURCE"},
        ),
    ] = None
    image_dir: Annotated[
        PathOrStr | None,
        Meta(
            description="Read images from here too. Default: from the suite's own folder alone.",
            extra={"type": Path | None, "metavar": "DIR"},
        ),
    ] = None
    shard: Annotated[
        str | None,
        Meta(description="Run one of N parts of the items; falter merge joins them.", extra={"metavar": "I/N"}),
    ] = None
    repeat: Annotated[
        int,
        Meta(
            description="Call the model K times per item, to measure repeatability.",
            extra={"metavar": "K", "rare": True},
        ),
    ] = 1
    random_order: Annotated[
        bool,
        Meta(
            description="Ask probes in an order drawn by the seed: a run cut off has intervals for the whole suite.",
            extra={"rare": True},
        ),
    ] = False
    until: Annotated[
        PathOrStr | Sequence[PathOrStr],
        Meta(
            description="Ask in random order until it is decided whether a full run meets this requirement of falter "
            "check, or those of a YAML file; may be repeated.",
            extra={"type": tuple[str, ...], "metavar": "REQUIREMENT", "rare": True},
        ),
    ] = ()
    baseline: Annotated[
        Any,
        Meta(
            description="The run that --until ...>=baseline-2% refers to.",
            extra={"type": Path | None, "metavar": "RUN", "needs": _UNTIL, "rare": True},
        ),
    ] = None
    alpha: Annotated[
        float | str,
        Meta(
            description="How probably any verdict of --until may differ from the full run's.",
            extra={"type": str, "metavar": "SHARE", "needs": _UNTIL, "rare": True},
        ),
    ] = "5%"
    look_every: Annotated[
        int,
        Meta(
            description="Probes between two tests of --until, at least.",
            extra={"metavar": "PROBES", "needs": _UNTIL, "rare": True},
        ),
    ] = 20
    allow_missing: Annotated[
        float | str | None,
        Meta(
            description="Share of the pairs asked by --until that may lack an answer. Default: 1%.",
            extra={"type": str | None, "metavar": "SHARE", "needs": _UNTIL, "rare": True},
        ),
    ] = None
    helpers: Annotated[
        Sequence[Any],
        Meta(
            description="Complete runs of other models on the suite, or a folder of them: with --limit or a budget, "
            "asks a random sample and estimates the scores over the whole suite; may be repeated.",
            extra={"type": tuple[Path, ...], "metavar": "RUNS", "rare": True},
        ),
    ] = ()
    options: Annotated[
        ModelOptions | Mapping[str, Any] | None,
        Meta(description="The options of the models, or a dictionary of them.", extra={"python": True}),
    ] = None
    plugins: Annotated[
        Sequence[PathOrStr],
        Meta(description="Folders with Python or YAML of one's own.", extra={"python": True}),
    ] = ()
    name: Annotated[
        str | None, Meta(description="What to call a model that is a function.", extra={"python": True})
    ] = None
    version: Annotated[
        str | None,
        Meta(
            description="Its version: another one in the same folder is refused.",
            extra={"python": True},
        ),
    ] = None
