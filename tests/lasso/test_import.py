"""The LASSO can be imported by itself."""

from __future__ import annotations

import subprocess
import sys

ALLOWED = {"falter", "falter.core", "falter.lasso"}


def test_the_ranker_loads_neither_a_suite_nor_torch() -> None:
    """In a process of its own, since this one has loaded everything."""
    code = "import sys; from falter.lasso import LassoRanker; print(*sorted(sys.modules))"
    output = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    loaded = set(output.stdout.split())
    ours = {".".join(name.split(".")[:2]) for name in loaded if name == "falter" or name.startswith("falter.")}
    assert "falter.lasso" in ours
    assert ours <= ALLOWED
    assert not loaded & {"torch", "scipy", "sklearn", "polars", "numba"}
