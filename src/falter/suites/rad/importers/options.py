"""The options of RAD's importers."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

__all__ = ["ConvqaOptions", "RephrasingsOptions", "YesNoVqaOptions"]


class YesNoVqaOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of ``falter import yes-no-vqa``."""

    originals: Annotated[
        str,
        Meta(
            description="The questions that the yes/no questions were made from, such as vqa:data/val.",
            extra={"metavar": "SOURCE"},
        ),
    ] = ""
    split: Annotated[
        Literal["val", "train", "all"], Meta(description="Which files to read: of validation, of training, or both.")
    ] = "val"


class RephrasingsOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of ``falter import vqa-rephrasings``."""

    originals: Annotated[
        str,
        Meta(
            description="Questions to find the originals among that the release does not hold itself.",
            extra={"metavar": "SOURCE"},
        ),
    ] = ""


class ConvqaOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of ``falter import convqa``."""

    split: Annotated[
        Literal["test", "all"],
        Meta(description="Which images of the common-sense sets: those of the test split, or all."),
    ] = "test"
