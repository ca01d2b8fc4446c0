"""A seeded schedule of everything that can go wrong, by question, so that every run meets the same faults."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable

from tests.models.openai.server import Asked, Out, completion, problem

NUMBER = re.compile(r"thing (\d+)")


def right_answer(text: str) -> str:
    """Whether the number in a question is even, which everything in these tests is about."""
    found = NUMBER.search(text)
    assert found is not None, text
    return "no" if int(found[1]) % 2 else "yes"


def wrong_answer(text: str) -> str:
    return "yes" if right_answer(text) == "no" else "no"


def _lie(asked: Asked, **changes: object) -> bytes:
    return completion(asked, wrong_answer(asked.text), **changes)


FAULTS: dict[str, Callable[[Asked], Out]] = {
    "429 in milliseconds": lambda a: problem(429, "slow down", headers={"retry-after-ms": "20"}),
    "429 in seconds": lambda a: problem(429, "slow down", headers={"Retry-After": "0.02"}),
    "429 with a reset": lambda a: problem(
        429, "slow down", headers={"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "15ms"}
    ),
    "500": lambda a: problem(500, "the answer is " + wrong_answer(a.text)),
    "502 as a page": lambda a: Out(b"<html><body>Bad Gateway</body></html>", 502, {"Content-Type": "text/html"}),
    "503": lambda a: problem(503, "overloaded", headers={"Retry-After": "0"}),
    "dropped": lambda a: Out(drop=True),
    "half a body": lambda a: Out(_lie(a), sent=60),
    "half a body, unannounced": lambda a: Out(_lie(a), sent=len(_lie(a)) - 9, declared=False),
    "garbage": lambda a: Out(b'{"choices": [{"message": ' + wrong_answer(a.text).encode()),
    "not an object": lambda a: Out(json.dumps([wrong_answer(a.text)]).encode()),
    "no choices": lambda a: Out(_lie(a, choices=[])),
    "choices of nothing": lambda a: Out(_lie(a, choices=None)),
    "null": lambda a: Out(completion(a, None)),
    "an error with a status of success": lambda a: Out(
        json.dumps({"error": {"message": "upstream", "code": 502}, "answer": wrong_answer(a.text)}).encode()
    ),
    "somebody else's id": lambda a: Out(_lie(a, id="chatcmpl-falter-00000000-7")),
    "somebody else's id in the header": lambda a: Out(
        _lie(a, id="chatcmpl-1"), headers={"X-Request-Id": "falter-00000000-7"}
    ),
    "somebody else's model": lambda a: Out(_lie(a, model=f"stray-{NUMBER.findall(a.text)[0]}")),
    "ten megabytes": lambda a: Out(completion(a, wrong_answer(a.text) + " " * 10_000_000)),
}


class Schedule:
    """Which faults a question meets before it is answered, and how slowly it is then."""

    def __init__(self, seed: int, *, rate: float = 0.12, slow: float = 0.01) -> None:
        self._seed = seed
        self._rate = rate
        self._slow = slow

    def faults(self, text: str) -> list[str]:
        """At most three, so that retry_policy never runs out."""
        found = NUMBER.search(text)
        draw = random.Random(f"{self._seed} {found[1] if found else text}")
        faults: list[str] = []
        while len(faults) < 3 and draw.random() < self._rate:
            faults.append(draw.choice(sorted(FAULTS)))
        return faults

    def __call__(self, asked: Asked) -> Out:
        faults = self.faults(asked.text)
        if asked.times < len(faults):
            return FAULTS[faults[asked.times]](asked)
        delay = random.Random(f"{self._seed} slow {asked.text}").uniform(0.0, self._slow)
        return Out(completion(asked, right_answer(asked.text).capitalize() + "."), delay=delay)
