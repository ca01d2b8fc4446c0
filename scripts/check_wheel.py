"""Checks a built wheel: its contents, and the commands of the five-minute page in a fresh environment.

Usage: python scripts/check_wheel.py dist/falter-VERSION-py3-none-any.whl
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "start" / "five-minutes.md"
_BLOCK = re.compile(r"((?:<!-- [^\n]* -->\n)?)```(\w+)\n(.*?)```", re.DOTALL)


def check_contents(wheel: Path) -> None:
    """The wheel has every file of the package that the repository has, and nothing besides."""
    listed = subprocess.run(["git", "ls-files", "src/falter"], cwd=ROOT, capture_output=True, text=True, check=True)
    expected = {line.removeprefix("src/") for line in listed.stdout.splitlines() if (ROOT / line).is_file()}
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    if names != expected:
        raise SystemExit(f"not in the wheel: {sorted(expected - names)}; too much: {sorted(names - expected)}")
    print(f"{len(names)} files, as in the repository")


def walk_page(wheel: Path, folder: Path) -> None:
    """Run the commands of the page with the installed wheel, in a folder of its own."""
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    python = folder / "venv" / "bin" / "python"
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, "--constraint", ROOT / "constraints.txt", f"{wheel.resolve()}[generate]"], check=True)
    place = folder / "page"
    place.mkdir()
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["PATH"] = f"{python.parent}{os.pathsep}{environment['PATH']}"
    for marker, language, text in _BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if "no-run:" in marker:
            continue
        if language == "python":
            (file,) = re.findall(r"file: (\S+)", marker)
            (place / file).write_text(text, encoding="utf-8")
        for command in re.findall(r"^\$ (.*)", text, flags=re.MULTILINE) if language == "console" else ():
            print(f"$ {command}", flush=True)
            subprocess.run(command, shell=True, cwd=place, env=environment, check=True, stdout=subprocess.DEVNULL)
    if not (place / "report.html").is_file():
        raise SystemExit("the page was walked and there is no report.html")


if __name__ == "__main__":
    check_contents(Path(sys.argv[1]))
    with tempfile.TemporaryDirectory() as made:
        walk_page(Path(sys.argv[1]), Path(made))
