"""One input to a model, and the probe that holds an original and its variants together."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from falter.core.files import sha256_of_file

Task = Literal["answer", "match"]
Role = Literal["original", "variant"]
Expects = Literal["same", "different", "each", "prefer", "crossed"]

TOTALS = OVERALL, INVARIANCE, SENSITIVITY = "overall", "same", "different"
"""The names of what is said of all questions of a suite, and of its pairs by what is expected of their answers: no test
can have one."""

YES_NO = ("yes", "no")
"""The choices of a question that is answered by yes or no."""


class Turn(msgspec.Struct, frozen=True):
    """One earlier turn of a dialogue."""

    speaker: str
    text: str


class ImageRef(NamedTuple):
    """Which image an item shows: its id in the source, where the file is, and the hash of its bytes, where known."""

    image_id: str | None
    path: str | Path | None = None
    sha256: str | None = None

    @classmethod
    def from_file(cls, path: str | Path, image_id: str | None = None) -> ImageRef:
        """An image file, hashed now; its id is the file's name without the ending unless another is given."""
        return cls(Path(path).stem if image_id is None else image_id, path, sha256_of_file(Path(path)))


class Item(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """An image and a text, with the task and the correct answer: one row of ``items.parquet``.

    Build one with :meth:`make` and vary it with :meth:`change`: both compute ``item_id``, the hash of what a model
    sees (the image's bytes, or its id where the bytes are not available; text, context, choices and task).
    """

    probe_id: str
    variant: int
    item_id: str
    suite: str
    test: str
    role: Role
    expects: Expects
    task: Task
    text: str
    gold: str | None = None
    image: str | None = None
    image_id: str | None = None
    image_sha256: str | None = None
    context: tuple[Turn, ...] | None = None
    answers: tuple[str, ...] | None = None
    choices: tuple[str, ...] | None = None
    meaning: str | None = None
    source_id: str | None = None
    facets: dict[str, str] = msgspec.field(default_factory=dict)
    extra: str | None = None

    @classmethod
    def make(
        cls,
        *,
        suite: str,
        test: str,
        probe_id: str,
        text: str,
        task: Task = "answer",
        expects: Expects = "same",
        variant: int = 0,
        image: ImageRef | None = None,
        context: Sequence[Turn] | None = None,
        choices: Sequence[str] | None = None,
        gold: str | None = None,
        answers: Sequence[str] | None = None,
        meaning: str | None = None,
        source_id: str | None = None,
        facets: Mapping[str, str] | None = None,
        extra: str | None = None,
    ) -> Item:
        """Build an item; its role follows from ``variant`` (0 is the original), its id from what a model sees.

        >>> asked = dict(suite="mine", test="negation", probe_id="negation-1", choices=("yes", "no"))
        >>> question = Item.make(text="Is there a dog?", gold="yes", **asked)
        >>> negated = Item.make(text="Is there no dog?", gold="no", variant=1, expects="different", **asked)
        >>> question.role, negated.role, question.item_id == negated.item_id
        ('original', 'variant', False)
        """
        offered = None if choices is None else tuple(choices)
        before = None if context is None else tuple(context)
        ref = image or ImageRef(None)
        return cls(
            probe_id=probe_id,
            variant=variant,
            item_id=_seen_id(task, ref.image_id, ref.sha256, text, before, offered),
            suite=suite,
            test=test,
            role="variant" if variant else "original",
            expects=expects,
            task=task,
            text=text,
            gold=gold,
            image=None if ref.path is None else str(ref.path),
            image_id=ref.image_id,
            image_sha256=ref.sha256,
            context=before,
            answers=None if answers is None else tuple(answers),
            choices=offered,
            meaning=meaning,
            source_id=source_id,
            facets=dict(facets or {}),
            extra=extra,
        )

    def change(self, **fields: Any) -> Item:
        """The item with some fields changed, and its role and id computed again.

        ``image`` takes an :class:`ImageRef`, or a path that alone is to change.

        >>> item = Item.make(suite="mine", test="capitals", probe_id="1", text="Is it red?")
        >>> item.change(text="IS IT RED?", variant=1).role
        'variant'
        """
        image = fields.get("image")
        if isinstance(image, ImageRef):
            path = None if image.path is None else str(image.path)
            fields |= {"image": path, "image_id": image.image_id, "image_sha256": image.sha256}
        changed = msgspec.structs.replace(self, **fields)
        role: Role = "variant" if changed.variant else "original"
        return msgspec.structs.replace(changed, role=role, item_id=changed.seen_id())

    def seen_id(self) -> str:
        """The id that what a model sees has: equal inputs have equal ids, in every suite.

        It differs from ``item_id`` only where an item was changed after it was built.
        """
        return _seen_id(self.task, self.image_id, self.image_sha256, self.text, self.context, self.choices)


_ENCODER = msgspec.json.Encoder()


def _seen_id(
    task: Task,
    image_id: str | None,
    image_sha256: str | None,
    text: str,
    context: tuple[Turn, ...] | None,
    choices: tuple[str, ...] | None,
) -> str:
    seen: list[Any] = [
        task,
        f"id:{image_id}" if image_sha256 is None and image_id is not None else image_sha256,
        text,
        None if context is None else [[turn.speaker, turn.text] for turn in context],
        choices,
    ]
    return hashlib.sha256(_ENCODER.encode(seen)).hexdigest()[:32]


class Probe(msgspec.Struct, frozen=True, gc=False):
    """An original item and its variants, and what must hold between the answers."""

    items: tuple[Item, ...]

    @classmethod
    def of(cls, original: Item, *variants: Item) -> Probe:
        """A probe from its items, the original first."""
        return cls((original, *variants))

    @property
    def probe_id(self) -> str:
        return self.items[0].probe_id

    @property
    def original(self) -> Item:
        return self.items[0]

    @property
    def variants(self) -> tuple[Item, ...]:
        return self.items[1:]
