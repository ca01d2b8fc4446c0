"""The command line, in a process of its own or in this one, with an environment of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from typing import NamedTuple
from unittest import mock

from falter.cli.main import main
from tests import program


class Ended(NamedTuple):
    code: int
    out: str
    err: str


def start(*arguments: str, **environment: str) -> subprocess.Popen[str]:
    """Start ``falter``; keys and addresses of the person who runs the tests are left out."""
    return subprocess.Popen(
        [sys.executable, "-c", "from falter.cli import main; main()", *arguments],
        env=_environment() | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(*arguments: str, **environment: str) -> Ended:
    """Run ``falter`` to its end."""
    done = program.falter(*arguments, environment=_environment() | program.ENVIRONMENT | environment)
    return Ended(done.returncode, done.stdout, done.stderr)


def here(*arguments: str, **environment: str) -> Ended:
    """Run ``falter`` in this process, which is quicker."""
    out, err = StringIO(), StringIO()
    code = 0
    with (
        mock.patch.object(sys, "argv", ["falter", *arguments]),
        mock.patch.dict(os.environ, _environment() | environment, clear=True),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
    return Ended(code, out.getvalue(), err.getvalue())


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if "OPENAI" not in name and "PROXY" not in name.upper()}
