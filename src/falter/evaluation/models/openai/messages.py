"""A request as the turns of a chat: system prompt, worked examples, earlier turns, image and question.

Images go as data URIs: the file's own bytes wherever a server can take them.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from falter.core.errors import InputError
from falter.core.files import read_bytes, sha256_of_bytes
from falter.data.items import Turn
from falter.data.model import PermanentError, Request, load_image

IMAGES_VERSION = 1
"""Changes whenever the same file would reach a server as other bytes."""

MAX_BYTES = 15_000_000
"""Services take 20 MB, counted after base64; a larger file is made smaller first."""

_SHRUNK_SIDE = 2048


def mime_of(data: bytes) -> str | None:
    """The type of an image by its first bytes, where it is one that every server reads; names are not asked.

    >>> mime_of(b"\\x89PNG\\r\\n\\x1a\\n"), mime_of(b"BM1234")
    ('image/png', None)
    """
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data[:6] in {b"GIF87a", b"GIF89a"}:
        return "image/gif"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return None


def data_uri(path: Path, sha256: str | None = None) -> str:
    """An image as it stands in a request; whatever is wrong with the file is a :class:`PermanentError`.

    PNG, JPEG, GIF and WebP go as they are. Other formats are re-encoded as PNG, without loss; files past
    ``MAX_BYTES`` as JPEG of quality 95, at most 2,048 pixels a side.
    """
    try:
        changed = path.stat()
    except OSError as error:
        raise PermanentError(f"{path.name} cannot be read: {error.strerror}") from error
    return _data_uri(path, sha256, changed.st_mtime_ns, changed.st_size)


@lru_cache(maxsize=16)
def _data_uri(path: Path, sha256: str | None, modified: int, size: int) -> str:
    """Items about one image stand together, so that a few kept ones save most of the work."""
    del modified
    data = b""
    if size <= MAX_BYTES:
        try:
            data = read_bytes(path, max_bytes=MAX_BYTES)
        except InputError as error:
            raise PermanentError(f"{path.name} {error.problem}") from error
        if sha256 is not None and sha256_of_bytes(data) != sha256:
            raise PermanentError(f"{path.name} is not the image the suite was made with (its bytes have changed)")
    mime = mime_of(data)
    if mime is None:
        mime, data = _reencode(path, sha256, as_jpeg=size > MAX_BYTES)
    return f"data:{mime};base64,{base64.b64encode(data).decode()}"


def _reencode(path: Path, sha256: str | None, *, as_jpeg: bool) -> tuple[str, bytes]:
    image = load_image(Request(item_id="", task="answer", text="", image=path, image_sha256=sha256))
    out = io.BytesIO()
    if not as_jpeg:
        image.save(out, "PNG")
        if out.tell() <= MAX_BYTES:
            return "image/png", out.getvalue()
        out = io.BytesIO()
    image.thumbnail((_SHRUNK_SIDE, _SHRUNK_SIDE))
    image.save(out, "JPEG", quality=95)
    return "image/jpeg", out.getvalue()


MESSAGES_VERSION = 1
"""Changes whenever the same request would be put in other turns."""

_ASSISTANTS = frozenset(("assistant", "answerer", "answer", "a", "bot", "model", "gpt"))
_USERS = frozenset(("user", "questioner", "question", "q", "human"))
_BYTES_A_TOKEN = 4
_TOKENS_A_MESSAGE = 4

Role = Literal["system", "user", "assistant"]


class Message(NamedTuple):
    """One turn, with the image still on the disk."""

    role: Role
    text: str
    image: Path | None = None
    sha256: str | None = None


def conversation(
    request: Request,
    question: str,
    *,
    system: str | None = None,
    examples: Iterable[tuple[str, Path | None, str]] = (),
) -> list[Message]:
    """The turns of one request; its image comes with the first thing that the user says about it.

    Turns of one side that follow each other are joined, for many models want the sides to alternate.
    """
    messages = [Message("system", system)] if system else []
    for asked, image, reply in examples:
        messages += [Message("user", asked, image), Message("assistant", reply)]
    own: list[Message] = []
    for role, text in [*map(_role, request.context or ()), ("user", question)]:
        if own and own[-1].role == role:
            own[-1] = Message(own[-1].role, f"{own[-1].text}\n{text}")
        elif own or role == "user":
            own.append(Message(role, text))
        else:
            # A chat cannot begin with the assistant.
            own.append(Message("user", f"You said: {text}"))
    own[0] = own[0]._replace(image=request.image, sha256=request.image_sha256)
    return messages + own


def to_wire(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Messages as the chat API has them, images read now; a turn of text alone is a plain string."""
    return [
        {
            "role": message.role,
            "content": message.text
            if message.image is None
            else [
                {"type": "image_url", "image_url": {"url": data_uri(message.image, message.sha256)}},
                {"type": "text", "text": message.text},
            ],
        }
        for message in messages
    ]


def estimated_tokens(messages: Iterable[Message]) -> int:
    """About how many tokens the texts of the messages are."""
    return sum(_TOKENS_A_MESSAGE + -(-len(message.text.encode()) // _BYTES_A_TOKEN) for message in messages)


def _role(turn: Turn) -> tuple[Role, str]:
    speaker = turn.speaker.strip().casefold()
    if speaker in _ASSISTANTS:
        return "assistant", turn.text
    return "user", turn.text if speaker in _USERS else f"{turn.speaker}: {turn.text}"
