"""What may go wrong with one request, sorted by what helps: asking again, another item, or the user.

An HTTP status and what stands in the body say which of these it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from falter.core.errors import FalterError
from falter.evaluation.models.openai.endpoint import KEYS, Endpoint
from falter.evaluation.models.openai.pacing import retry_after


class RetryableError(Exception):
    """The request came to nothing, and asking again may help."""

    def __init__(
        self,
        message: str,
        *,
        wait: float | None = None,
        slow_down: bool = False,
        limited: bool = False,
        unreached: bool = False,
        maybe_charged: bool = False,
    ) -> None:
        super().__init__(message)
        self.wait = wait
        """Seconds the server asked to be left alone."""
        self.slow_down = slow_down
        """Whether it is a sign of too much at once."""
        self.limited = limited
        """Whether it is a rate limit: no fault of the request, so that it is not counted against it."""
        self.unreached = unreached
        """Whether no answer of any kind came."""
        self.maybe_charged = maybe_charged
        """Whether the server may have done the work, and be paid for it, all the same."""


class ParameterRejectedError(Exception):
    """The server wants the request put in another way (a parameter by its other name), and can have it so."""


class ItemRejectedError(Exception):
    """This item will never get a reply, however often it is sent; others may."""


class EndpointRejectedError(FalterError):
    """No item will get a reply until the user changes something: the key, the name of the model."""


class EndpointUnreachableError(FalterError):
    """Nobody answers at the endpoint, or nobody does any more."""


_LONGEST_QUOTE = 200
_BUSY = frozenset((408, 425, 429, 503, 529))
_AGAIN = frozenset((408, 409, 423, 425, 429))
_SPENT = re.compile(
    r"insufficient_quota|insufficient (?:balance|credit|fund)|exceeded your current quota", re.IGNORECASE
)
_MODERATED = re.compile(r"moderation|flagged|content.?(?:filter|policy)|safety system", re.IGNORECASE)
_NO_PICTURES = re.compile(
    r"(?:does not|doesn't|do not|cannot|can't|not) (?:currently )?(?:support|accept|process|take)\w* "
    r"(?:any )?(?:image|vision|multi-?modal|image)|"
    r"(?:image|vision|multi-?modal)\S*(?: \w+){0,3} (?:is|are) (?:not (?:supported|enabled|available)|unsupported)|"
    r"(?:image|vision|multi-?modal)(?: input)?s? not supported|not a (?:multi-?modal|vision) model|"
    r"at most 0 image|unknown variant `?image_url|no endpoints found that support image|mmproj",
    re.IGNORECASE,
)


_NO_MODEL = re.compile(
    r"model_not_found|(?:unknown|invalid|no such) model\b|"
    r"\bmodel\b.{0,120}\b(?:not found|not exist|doesn't exist|not loaded)",
    re.IGNORECASE,
)


def said(body: bytes, endpoint: Endpoint) -> str:
    """What the server gave as a reason, on one line, without the key."""
    try:
        found = _message(msgspec.json.decode(body))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        text = body.decode("utf-8", "replace")
        found = "" if "<html" in text.lower() else text
    line = " ".join(endpoint.key.hide(found).split())
    return line if len(line) <= _LONGEST_QUOTE else f"{line[:_LONGEST_QUOTE]}..."


def _message(value: Any) -> str:
    """The reason, wherever the various servers put it."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "; ".join(filter(None, map(_message, value[:3])))
    if isinstance(value, dict):
        where = value.get("loc")
        if isinstance(where, list) and isinstance(value.get("msg"), str):
            return f"{'.'.join(map(str, where))}: {value['msg']}"
        for name in ("error", "message", "detail", "msg"):
            if value.get(name):
                inner = _message(value[name])
                code = value.get("code")
                return f"{inner} ({code})" if isinstance(code, str) and code not in inner else inner
    return ""


def error_for_status(
    status: int, headers: Mapping[str, str], body: bytes, endpoint: Endpoint, *, with_images: bool
) -> Exception:
    """The exception for a status: :class:`RetryableError`, :class:`ItemRejectedError`, or one that ends the run."""
    if 300 <= status < 400:
        place = endpoint.key.hide(headers.get("location", ""))[:_LONGEST_QUOTE]
        return EndpointRejectedError(
            f"{endpoint.shown} redirects to {place} ({status}): prompts and images are not sent to another "
            "server than the one that was given; if you trust that one, give its address"
        )
    reason = said(body, endpoint)
    quoted = f": {reason}" if reason else ""
    if status == 402 or (status in {403, 429} and _SPENT.search(reason)):
        return EndpointRejectedError(
            f"the account at {endpoint.shown} has no credit left ({status}{quoted}): add some, run again"
        )
    if with_images and status in {400, 404, 415, 422, 500, 501} and _NO_PICTURES.search(reason):
        return EndpointRejectedError(
            f"{endpoint.model} at {endpoint.shown} takes no images ({status}{quoted}): choose a vision model, or run "
            "it blind with --image-input none"
        )
    if status in _AGAIN or status >= 500:
        return RetryableError(
            f"the server answered {status}{quoted}",
            wait=retry_after(headers),
            slow_down=status in _BUSY,
            limited=status == 429,
        )
    if status == 401 or (status == 403 and not _MODERATED.search(reason)):
        return _bad_key(status, "" if status == 401 else quoted, endpoint)
    if status == 404 or (status == 400 and endpoint.model in reason and _NO_MODEL.search(reason)):
        return EndpointRejectedError(
            f"{endpoint.shown} knows no model {endpoint.model} ({status}{quoted}): check the name, and that the base "
            "URL is complete (it often ends in /v1)"
        )
    return ItemRejectedError(f"the server refused the request ({status}{quoted})")


def _bad_key(status: int, quoted: str, endpoint: Endpoint) -> EndpointRejectedError:
    # The reason of a 401 is not repeated: services quote parts of the key in it.
    if not endpoint.key:
        return EndpointRejectedError(
            f"{endpoint.shown} wants a key ({status}{quoted}): set {KEYS[1]} in the environment"
        )
    return EndpointRejectedError(f"{endpoint.shown} refused the key ({status}{quoted}): check {' or '.join(KEYS)}")
