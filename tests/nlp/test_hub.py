"""Ids of the hub where it cannot be reached: one line at once, whatever loads them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from falter.core.causal_lm import load_causal_lm
from falter.core.errors import FalterError
from falter.generation.nlp.sequence_classifiers import load_sequence_classifier
from falter.generation.nlp.span_ranking import load_masked_ranker
from falter.suites.valse.foiling.context import load_token_counter

LOADERS: dict[str, Callable[[str], Any]] = {
    "causal": load_causal_lm,
    "classifier": partial(load_sequence_classifier, what="grammaticality", example="some/cola"),
    "masked": load_masked_ranker,
    "tokenizer": load_token_counter,
}


@pytest.mark.parametrize("load", LOADERS.values(), ids=LOADERS)
@pytest.mark.parametrize("name", ["some/model", "a/path/that/is/no/id"])
def test_an_id_that_is_not_on_disk_is_one_line(
    name: str, load: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    transformers = pytest.importorskip("transformers")
    monkeypatch.setattr("falter.core.optional_packages.is_hub_reachable", lambda: False)
    for asked in (transformers.AutoTokenizer, transformers.AutoConfig):
        # It would try five times, and tell of each.
        monkeypatch.setattr(asked, "from_pretrained", lambda *_, **__: pytest.fail("asked the hub"))
    with pytest.raises(FalterError, match=rf"^{name}(:| is no folder here and the hub cannot be reached)"):
        load(name)
