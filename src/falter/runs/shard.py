"""One of several parts that a run is divided into, so that machines can share it."""

from __future__ import annotations

import hashlib
import re
from typing import NamedTuple

from falter.errors import UsageError

__all__ = ["Shard"]

_WRITTEN = re.compile(r"([0-9]{1,9})/([0-9]{1,9})")


class Shard(NamedTuple):
    """Part ``number`` of ``total``, counted from 1; an image's items are in one part, so that it is loaded once."""

    number: int
    total: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read ``i/N``.

        >>> Shard.parse("2/5")
        Shard(number=2, total=5)
        """
        found = _WRITTEN.fullmatch(text.strip())
        shard = None if found is None else cls(int(found[1]), int(found[2]))
        if shard is None or not 1 <= shard.number <= shard.total:
            raise UsageError(f"a shard is i/N with i from 1 to N, such as 2/5, not {text!r}")
        return shard

    def holds(self, item_id: str, image_id: str | None) -> bool:
        """Whether an item belongs to this part: by its image, else by itself."""
        key = f"item:{item_id}" if image_id is None else f"image:{image_id}"
        digest = hashlib.sha256(f"shard\n{key}".encode()).digest()
        return int.from_bytes(digest[:8]) % self.total == self.number - 1

    def __str__(self) -> str:
        return f"{self.number}/{self.total}"
