"""From what a model wrote to what it says: without thoughts, special tokens, markup and invented turns.

Where the text marks its answer (a box, an answer tag, a JSON field), that answer is found as well.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Any, NamedTuple

import msgspec

from falter.data.normalize import drop_symbols, fold

MAX_CHARACTERS = 20_000
"""Of a longer text only the two ends are read: answers stand at the start or the end, and time must be bounded."""


class Unwrapped(NamedTuple):
    """A text in lower case without its wrapping, and the answer that the wrapping marks, if it marks one."""

    text: str
    marked: str | None = None


_SHORT = 200
_SIMPLE = re.compile(r"[A-Za-z0-9 ,.'!?]*")

_THOUGHTS = (
    "think|thinking|thought|thoughts|reasoning|reason|rationale|analysis|reflection|scratchpad|summary|caption|cot|"
    "seed:think"
)
_THOUGHT_OPENS = re.compile(
    rf"<\s*(?:{_THOUGHTS})\s*>|◁think▷|\[think\]|<\|begin_of_thought\|>|<unused94>", re.IGNORECASE
)
_THOUGHT_CLOSES = re.compile(
    rf"<\s*/\s*(?:{_THOUGHTS})\s*>|◁/think▷|\[/think\]|<\|end_of_thought\|>|<unused95>", re.IGNORECASE
)
_CHANNEL = re.compile(r"<\|channel\|>\s*(\w+)[^<]*<\|message\|>", re.IGNORECASE)
_CHANNEL_END = re.compile(r"<\|(?:end|return|start|channel|call)\|>", re.IGNORECASE)
_PLAIN_CHANNELS = re.compile(r"^\s*analysis.*assistantfinal", re.DOTALL)

_MODEL_TURN = re.compile(
    r"<\|im_start\|>\s*assistant|<\|assistant\|>|\[/INST\]|<start_of_turn>\s*model"
    r"|<\|start_header_id\|>\s*assistant\s*<\|end_header_id\|>",
    re.IGNORECASE,
)
_USER_TURN = re.compile(
    r"<\|im_start\|>\s*user|<\|user\|>|\[INST\]|<start_of_turn>\s*user"
    r"|<\|start_header_id\|>\s*user\s*<\|end_header_id\|>",
    re.IGNORECASE,
)
_TOKEN = re.compile(
    r"<\|[^|<>\n]{1,40}\|>|</?s>|<(?:bos|eos|pad|image|img|video|unk|sep|cls|end|mask)>|<[a-z0-9]+(?:_[a-z0-9]+)+>",
    re.IGNORECASE,
)
_USER = re.compile(
    r"(?:^|\n)[ \t#*]*(?:user|human|question|instruction|q)[ \t]*\d*[ \t*]*:"
    r"|(?<=[.!?\w])[ \t]+(?<!\bthe )(?<!\byour )(?<!\bthis )(?:question|user|human)[ \t]*:",
    re.IGNORECASE,
)
_MODEL = re.compile(r"(?:^|\n|[ \t])[ \t#*]*(?:assistant|model|gpt|bot)[ \t*]*:", re.IGNORECASE)

_FENCE = re.compile(r"```[ \t]*[a-z]*[ \t]*\n?|\n?```", re.IGNORECASE)
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)
_KEYS = (
    "final_answer",
    "finalanswer",
    "answer",
    "choice",
    "option",
    "selected_option",
    "response",
    "result",
    "prediction",
    "label",
    "output",
)
_CUT_FIELD = re.compile(
    rf"""\{{.*?["'](?:{"|".join(_KEYS)})["']\s*:\s*(?:"((?:[^"\\]|\\.)*)|'([^']*)|([\w.+-]+))""",
    re.DOTALL | re.IGNORECASE,
)
_LONGEST_FIELD = 2000
_BOX = re.compile(r"\\f?boxed\s*\{")
_TAG = re.compile(
    r"<\|begin_of_box\|>|<\|begin_of_solution\|>|<\s*(?:final[_ ]?answer|answer|conclusion|final|solution"
    r"|output)\s*>",
    re.IGNORECASE,
)
_TAG_END = re.compile(
    r"<\|end_of_box\|>|<\|end_of_solution\|>|<\s*/\s*(?:final[_ ]?answer|answer|conclusion|final|solution"
    r"|output)\s*>",
    re.IGNORECASE,
)
_LATEX_TEXT = re.compile(r"\\(?:text|textbf|mathrm|mathbf|textit|mbox)\s*\{([^{}]*)\}?")
_LATEX_MARK = re.compile(r"\\[\[\]()]|\$\$|(?<!\w)\$(?!\d)|(?<=\S)\$(?!\w)|\\[,;!]")

_STRUCK = re.compile(r"~~[^~\n]*~~")
_MARKUP = re.compile(
    r"(?<![A-Za-z0-9*_`~])[*_`~]+(?=\S)|(?<=\S)[*_`~]+(?![A-Za-z0-9*_`~])"
    r"|^[ \t]*[>#|•·●▪*+-]+(?:[ \t]+|(?=[>#•]))|[ \t]*\|[ \t]*$"
    r"|</?[a-z][a-z0-9]*[ \t]*/?>|^#+(?!\d)",
    re.MULTILINE,
)


def unwrap(text: str) -> Unwrapped:
    """What a text says, in lower case.

    >>> unwrap("<think>A dog?</think>**Yes**<|im_end|>")
    Unwrapped(text='yes', marked=None)
    >>> unwrap("So it is \\\\boxed{\\\\text{No}}.").marked
    'no'
    """
    if len(text) <= _SHORT and _SIMPLE.fullmatch(text) and "assistantfinal" not in text:
        return Unwrapped(text.strip().lower())
    if "&" in text:
        text = unescape(text)
    text = _without_thoughts(fold(text))
    if len(text) > MAX_CHARACTERS:
        text = f"{text[: MAX_CHARACTERS // 2]}\n{text[-MAX_CHARACTERS // 2 :]}"
    text = _own_turn(text)
    marked = _marked(text)
    return Unwrapped(_plain(text), None if marked is None else _plain(marked))


def has_open_thought(text: str) -> bool:
    """Whether a text ends within a thought, before any final message.

    A tag with nothing after it is no thought.

    >>> has_open_thought("<think>It may be"), has_open_thought("<think>It may be</think>red")
    (True, False)
    """
    channels = [channel[1].lower() for channel in _CHANNEL.finditer(text)]
    if channels:
        return "final" not in channels
    opens, closes = (list(pattern.finditer(text)) for pattern in (_THOUGHT_OPENS, _THOUGHT_CLOSES))
    if not opens or (closes and opens[-1].start() < closes[-1].start()):
        return False
    return bool(text[opens[0].end() :].strip())


def _without_thoughts(text: str) -> str:
    """The message after the last thought; nothing where a thought is cut off, or where no final message comes."""
    channels = list(_CHANNEL.finditer(text))
    if channels:
        final = [channel for channel in channels if channel[1].lower() == "final"]
        if not final:
            return ""
        text = _CHANNEL_END.split(text[final[-1].end() :], maxsplit=1)[0]
    text = _PLAIN_CHANNELS.sub("", text)
    closes = list(_THOUGHT_CLOSES.finditer(text))
    if closes:
        rest = text[closes[-1].end() :]
        opened = _THOUGHT_OPENS.search(text)
        if not rest.strip() and opened is not None:
            rest = text[: opened.start()]
        text = rest
    opened = _THOUGHT_OPENS.search(text)
    return text if opened is None else text[: opened.start()]


def _own_turn(text: str) -> str:
    """The model's own turn: without the prompt before it and without turns that it invents after it."""
    if "<" in text or "[" in text:
        text = _MODEL_TURN.sub("\nassistant: ", _USER_TURN.sub("\nuser: ", text))
        # The tokens of a box and of a solution mark the answer, and are needed later.
        text = _TOKEN.sub(lambda token: token[0] if _TAG.match(token[0]) or _TAG_END.match(token[0]) else " ", text)
    if ":" not in text:
        return text
    # A prompt that is repeated first ends where the model's turn begins.
    asks, replies = _USER.search(text), _MODEL.search(text)
    if replies is not None and (not text[: replies.start()].strip() or (asks and not text[: asks.start()].strip())):
        text = text[replies.end() :]
    start = next((match.end() for match in [_USER.match(text.lstrip())] if match), 0)
    for match in _USER.finditer(text, start):
        if text[start : match.start()].strip():
            return text[: match.start()]
    return text


def _marked(text: str) -> str | None:
    """The answer in the last box, the last answer tag, or the answer field of a JSON object."""
    tags = list(_TAG.finditer(text))
    if tags:
        inner = text[tags[-1].end() :]
        end = _TAG_END.search(inner)
        if end is not None and not inner[: end.start()].strip() and len(tags) == 1:
            return ""
        inner = inner if end is None else inner[: end.start()]
        return inner if (deeper := _marked(inner)) is None else deeper
    boxes = list(_BOX.finditer(text))
    if boxes:
        return _up_to_brace(text[boxes[-1].end() :])
    return answer_field(text) if "{" in text else None


def _up_to_brace(text: str) -> str:
    depth = 1
    for position, letter in enumerate(text):
        depth += (letter == "{") - (letter == "}")
        if not depth:
            return text[:position]
    return text.split("\n", 1)[0].rstrip(".$ ")


def answer_field(text: str) -> str | None:
    """The answer field of a JSON object, whole or cut off, as it is written; another single field will do.

    >>> answer_field('{"answer": "Right side"}')
    'Right side'
    """
    found = _OBJECT.search(text)
    if found is not None:
        try:
            value = msgspec.json.decode(found[0])
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            value = None
        if isinstance(value, dict) and (answer := _answer_in(value)) is not None:
            return answer
    cut = _CUT_FIELD.search(text, text.find("{"), text.find("{") + _LONGEST_FIELD)
    return None if cut is None else next(group for group in cut.groups() if group is not None)


def _as_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list) and len(value) == 1:
        return _as_text(value[0])
    if isinstance(value, dict):
        return _answer_in(value) or ""
    return str(value) if isinstance(value, str | int | float) else ""


def _answer_in(value: dict[Any, Any]) -> str | None:
    """The answer field of an object; another single field will do."""
    by_key = {str(key).lower().replace(" ", "_"): each for key, each in value.items()}
    wanted = [by_key[key] for key in _KEYS if key in by_key] or (list(by_key.values()) if len(by_key) == 1 else [])
    return _as_text(wanted[0]) if wanted else None


def _plain(text: str) -> str:
    """Lower case, without marks of formatting, LaTeX and pictures."""
    if "\\" in text or "$" in text:
        text = _LATEX_MARK.sub("", _LATEX_TEXT.sub(r"\1", text))
    if "`" in text:
        text = _FENCE.sub("\n", text)
    text = drop_symbols(text)
    return _MARKUP.sub("", _STRUCK.sub("", text)).strip().lower()
