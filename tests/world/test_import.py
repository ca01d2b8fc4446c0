"""The world writes data sets and reads none."""

from __future__ import annotations

import subprocess
import sys


def test_writing_a_world_loads_neither_sources_nor_suites() -> None:
    """In a process of its own, since this one has loaded everything."""
    code = """if True:
        import sys
        from falter.world import compose
        from falter.world.write_questions import gqa_questions
        from falter.world.write_questions import vqa_records
        scene = compose(0, 0)
        assert gqa_questions(scene, 0) and vqa_records(scene, 0).questions
        print(*sorted(sys.modules))
    """
    output = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    loaded = {".".join(name.split(".")[:2]) for name in output.stdout.split() if name.startswith("falter.")}
    assert "falter.world" in loaded
    assert not loaded & {"falter.suites", "falter.evaluation", "falter.apps", "falter.api", "falter.cli"}
