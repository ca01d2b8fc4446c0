"""Generation and audit speed: probes a second and core, from scene graphs of the embedded world.

Run: python benchmarks/generation.py [--scenes N]
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections import Counter
from pathlib import Path

from falter.english import english
from falter.sources import open_source
from falter.sources.world import write_world
from falter.suites.audit import audit
from falter.suites.protocol import SUITES, Order


def main() -> None:
    """Print one line a step."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", type=int, default=1000)
    scenes = parser.parse_args().scenes
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        write_world(Path(folder) / "world", scenes, 0, images=False)
        print(f"scenes composed and written: {scenes / (time.perf_counter() - start):.0f} a second and core")
        source = open_source(f"gqa:{folder}/world/train")
        book = english()
        start = time.perf_counter()
        probes = list(SUITES.get("carets").probes(source, Order(), book, Counter()))
        spent = time.perf_counter() - start
        print(f"probes generated: {len(probes)} in {spent:.2f} s, {len(probes) / spent:.0f} a second and core")
        start = time.perf_counter()
        result = audit(probes, source, book)
        spent = time.perf_counter() - start
        print(f"items audited: {result.items} in {spent:.2f} s, {result.items / spent:.0f} a second and core")
        print(f"disagreements: {result.disagree}")
    print(f"peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
