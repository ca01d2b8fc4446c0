"""The real program in a process of its own, forked from one that has imported the package already.

Importing takes longer than most commands do. A process that has only imported starts no threads of polars and changes
no registry, so its children are as good as new ones.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import falter as package
from falter.cli.main import main
from falter.core.bundle import BUNDLES

__all__ = ["ENVIRONMENT", "WITHOUT_BUNDLE", "falter"]

ENVIRONMENT = {"NO_COLOR": "1", "COLUMNS": "200"}
WITHOUT_BUNDLE = "FALTER_TESTS_WITHOUT_BUNDLE"
"""The variable that names the suite which ``pytest --without-bundle`` removes."""

_LEFT_OUT = (
    "falter.evaluation.models.hf",
    "falter.evaluation.models.weights.clip",
    "falter.evaluation.models.weights.lm",
    "falter.evaluation.models.weights",
    "falter.generation.nlp",
)
"""Parts of the package that few commands use and that may import torch."""


def falter(
    *arguments: str | Path,
    cwd: Path | None = None,
    environment: dict[str, str] | None = None,
    path: Path | None = None,
    before: str = "",
) -> subprocess.CompletedProcess[str]:
    """What ``falter ARGUMENTS`` prints and how it exits.

    ``environment`` replaces this process's own; ``path`` is a folder of further modules and installed packages;
    ``before`` is Python to run first.
    """
    words = [str(one) for one in arguments]
    with tempfile.TemporaryDirectory(prefix="falter-program-") as folder:
        request = {
            "arguments": words,
            "cwd": str(cwd or Path.cwd()),
            "environment": {**os.environ, **ENVIRONMENT} if environment is None else environment,
            "path": None if path is None else str(path),
            "before": before,
            "folder": folder,
        }
        channel = _server()
        channel.sendall(json.dumps(request).encode() + b"\n")
        status = int(channel.makefile("rb").readline())
        out, err = ((Path(folder) / name).read_text(encoding="utf-8") for name in ("stdout", "stderr"))
    return subprocess.CompletedProcess(["falter", *words], os.waitstatus_to_exitcode(status), out, err)


@cache
def _server() -> socket.socket:
    """A channel to the process that commands are forked from."""
    ours, theirs = socket.socketpair()
    program = f"from tests.program import serve; serve({theirs.fileno()})"
    server = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=Path(__file__).parents[1],
        env={**os.environ, **ENVIRONMENT},
        pass_fds=[theirs.fileno()],
        stdin=subprocess.DEVNULL,
    )
    theirs.close()

    def stop() -> None:
        ours.close()
        server.wait()

    atexit.register(stop)
    return ours


def serve(handle: int) -> None:
    """Fork a process for every request, one after another."""
    for module in pkgutil.walk_packages(package.__path__, "falter."):
        if not module.name.startswith(_LEFT_OUT):
            importlib.import_module(module.name)
    importlib.import_module("sklearn.linear_model")
    gc.freeze()
    with socket.socket(fileno=handle) as channel:
        for line in channel.makefile("rb"):
            child = os.fork()
            if child == 0:
                channel.close()
                _end(_run(json.loads(line)))
            channel.sendall(b"%d\n" % os.waitpid(child, 0)[1])


def _run(request: dict[str, Any]) -> int:
    """Be the program, and give the status it exits with."""
    for number, name in ((1, "stdout"), (2, "stderr")):
        file = os.open(Path(request["folder"]) / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(file, number)
        os.close(file)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["environment"])
    if request["path"] is not None:
        sys.path.insert(1, request["path"])
    sys.argv = ["-c", *request["arguments"]]
    removed = os.environ.get(WITHOUT_BUNDLE)
    try:
        exec(request["before"], {"__name__": "__main__"})
        with nullcontext() if removed is None else BUNDLES.without(removed):
            main()
    except SystemExit as end:
        if isinstance(end.code, int | None):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _end(status: int) -> NoReturn:
    """Leave as the interpreter does, without taking apart all that was imported, which takes longer than a command."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
