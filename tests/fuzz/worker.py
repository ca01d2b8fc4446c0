"""Runs cases one after another in a process of its own, and says before each which one it is.

The process that started it learns so which case ended it, or keeps it busy without end.
"""

from __future__ import annotations

import faulthandler
import resource
import shutil
import signal
import sys
import tempfile
import traceback
import warnings
from pathlib import Path
from random import Random
from types import FrameType

from falter.core.errors import FalterError

SECONDS = 10
MEMORY = 6 << 30
STRIDE = 97
"""Takes neighbors of the cycle far apart."""


class _TooSlowError(BaseException):
    """A case took too long."""


def main() -> None:
    """Run the cases from FIRST to LAST: ``python -m tests.fuzz.worker FIRST LAST``."""
    from tests.fuzz.inputs import write_inputs
    from tests.fuzz.mutations import mutate
    from tests.fuzz.targets import CYCLE, TARGETS, seal_again

    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGPROF, _stop)
    warnings.simplefilter("ignore")
    first, last = int(sys.argv[1]), int(sys.argv[2])
    with tempfile.TemporaryDirectory(prefix="falter-fuzz-") as folder:
        inputs, case = Path(folder, "inputs"), Path(folder, "case")
        inputs.mkdir()
        write_inputs(inputs)
        touched: set[str] | None = None
        if first == 0:
            _read_valid(inputs, case)
        for number in range(first, last):
            random = Random(f"{number}|fuzz")
            name = CYCLE[number * STRIDE % len(CYCLE)]
            target = TARGETS[name]
            _restore(inputs, case, touched)
            touched = (
                {target.file.partition("/")[0], "run", "unfinished", "new"}
                if target.seals
                else {target.file.partition("/")[0], "new"}
            )
            print(f"case {number} {name} before", flush=True)
            done = mutate(case / target.file, random)
            if target.seals is not None and random.random() < 0.8:
                seal_again(case, target)
            print(f"case {number} {name} {done}", flush=True)
            print(f"end {number} {_outcome(target.read, case)}", flush=True)


def _read_valid(inputs: Path, case: Path) -> None:
    """Every target reads its input as long as that is right: else no change to it would test anything."""
    from tests.fuzz.targets import TARGETS

    for name, target in TARGETS.items():
        shutil.copytree(inputs, case)
        outcome = _outcome(target.read, case)
        if outcome != "read":
            print(f"case -1 {name} valid\nend -1 FAILED {outcome}", flush=True)
        shutil.rmtree(case)


def _restore(inputs: Path, case: Path, touched: set[str] | None) -> None:
    """The valid inputs again; only what the last case may have changed is copied."""
    if touched is None:
        shutil.copytree(inputs, case)
        return
    for name in touched:
        there = case / name
        if there.is_dir() and not there.is_symlink():
            shutil.rmtree(there)
        else:
            there.unlink(missing_ok=True)
        source = inputs / name
        if source.is_dir():
            shutil.copytree(source, there)
        elif source.exists():
            shutil.copyfile(source, there)


def _outcome(read: object, case: Path) -> str:
    assert callable(read)
    # Time of the processor: what waits without end is found out by the process that started this one.
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        read(case)
    except FalterError as error:
        return "refused" if "Traceback" not in str(error) else "FAILED a traceback was printed"
    except BaseException as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        told = " ".join(f"{type(error).__name__}: {error}".split())
        return f"FAILED {ascii(told)[:300]} at {Path(where.filename).name}:{where.lineno}"
    else:
        return "read"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _stop(number: int, frame: FrameType | None) -> None:
    raise _TooSlowError(f"more than {SECONDS} seconds")


if __name__ == "__main__":
    main()
