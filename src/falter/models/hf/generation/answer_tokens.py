"""Answers in tokens, as they would follow a question."""

from __future__ import annotations

from typing import Any

__all__ = ["AnswerTokens"]

_TAIL = 24
_FORMS = ("{}", " {}")
_MARKS = ("", "\u2581", "\u0120")
"""How tokenizers write that a space comes before a word: not at all, as SentencePiece does, as GPT-2 does."""


class AnswerTokens:
    """Looks up how a tokenizer writes an answer after a text."""

    def __init__(self, tokenizer: Any, *, continues: bool) -> None:
        self._tokenizer = tokenizer
        self._continues = continues
        """Whether the answer follows the question's text, or begins a text of its own."""
        self._known: dict[tuple[str, str], list[int]] = {}
        self._firsts: dict[tuple[str, ...], frozenset[int]] = {}

    def after(self, text: str, answer: str) -> list[int]:
        """The tokens of an answer after a text; a space goes between where the text does not end in one."""
        tail = text[-_TAIL:] if self._continues else ""
        key = tail, answer
        if key not in self._known:
            self._known[key] = self._split(tail, answer)
        return self._known[key]

    def _split(self, tail: str, answer: str) -> list[int]:
        if not tail:
            return self._ids(answer)
        gap = "" if tail[-1].isspace() or not tail[-1].isascii() or self._ends_in_special(tail) else " "
        alone, joined = self._ids(tail), self._ids(f"{tail}{gap}{answer}")
        if len(joined) > len(alone) and joined[: len(alone)] == alone:
            return joined[len(alone) :]
        return self._ids(f"{gap}{answer}")

    def _ends_in_special(self, tail: str) -> bool:
        return any(tail.endswith(token) for token in self._tokenizer.all_special_tokens)

    def firsts(self, words: tuple[str, ...]) -> frozenset[int]:
        """The tokens that each say one of the words by itself; else those that begin it."""
        if words not in self._firsts:
            forms = [form.format(word) for word in words for form in _FORMS]
            written = [ids for ids in map(self._ids, forms) if ids]
            whole = {ids[0] for ids in written if len(ids) == 1}
            # A tokenizer that puts a space before every text cannot be asked for the word without one.
            known = self._tokenizer.get_vocab()
            whole |= {known[mark + word] for word in words for mark in _MARKS if mark + word in known}
            self._firsts[words] = frozenset(whole or {ids[0] for ids in written})
        return self._firsts[words]

    def _ids(self, text: str) -> list[int]:
        return list(self._tokenizer(text, add_special_tokens=False)["input_ids"])
