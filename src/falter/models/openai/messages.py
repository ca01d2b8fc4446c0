"""A request as the turns of a chat: system prompt, worked examples, earlier turns, image and question."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, NamedTuple

from falter.models.openai.image_data import data_uri
from falter.models.request import Request
from falter.probes import Turn

__all__ = ["MESSAGES_VERSION", "Message", "conversation", "estimated_tokens", "to_wire"]

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
