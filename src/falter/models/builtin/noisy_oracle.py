"""An oracle that errs at a known rate, so that its expected scores can be computed by hand."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from falter.models.builtin.entry import Builtin, SpecOptions
from falter.models.builtin.oracle import Oracle, make_oracle
from falter.models.capabilities import Capabilities
from falter.models.load_context import LoadContext
from falter.models.request import Request
from falter.runs.reply import Reply

__all__ = ["NOISY_ORACLE", "NoisyOracle"]

_OPPOSITE = {"yes": "no", "no": "yes"}


class NoisyOracle:
    """Right with probability ``p``, each item by itself; the draw depends on the seed and the item alone."""

    capabilities = Capabilities(tasks=frozenset(("answer", "match")), batch_size=256)

    def __init__(self, oracle: Oracle, *, p: float = 0.8, seed: int = 0) -> None:
        self._oracle = oracle
        self._p = p
        self._seed = seed
        self.name = f"noisy-oracle p={p:g}" + (f" seed={seed}" if seed else "")
        self.fingerprint = f"{oracle.fingerprint}:noisy:{p!r}:{seed}"

    def reply(self, batch: Sequence[Request]) -> Sequence[Reply]:
        return [self._disturb(request, reply) for request, reply in zip(batch, self._oracle.reply(batch), strict=True)]

    def _disturb(self, request: Request, reply: Reply) -> Reply:
        if reply.answer is None or self._draw("right", request.item_id) < self._p:
            return reply
        return Reply(item_id=request.item_id, answer=self._wrong(request, reply.answer))

    def _wrong(self, request: Request, right: str) -> str:
        others = [choice for choice in request.choices or () if choice != right]
        if others:
            return others[int(self._draw("which", request.item_id) * len(others))]
        if right.isdecimal():
            return str(int(right) + 1)
        return _OPPOSITE.get(right, "something else")

    def _draw(self, purpose: str, item_id: str) -> float:
        """A number from 0 to below 1."""
        digest = hashlib.sha256(f"{self._seed}\n{purpose}\n{item_id}".encode()).digest()
        return int.from_bytes(digest[:6], "big") / (1 << 48)


def _make(options: SpecOptions, context: LoadContext) -> NoisyOracle:
    p = options.number("p", 0.8, low=0, high=1)
    return NoisyOracle(make_oracle(options, context), p=p, seed=options.whole("seed", 0))


NOISY_ORACLE = Builtin(
    _make,
    summary="the oracle, but right only with probability p (0.8)",
    tasks=("answer", "match"),
    needs="--scenes SOURCE",
    options=("p", "seed"),
)
