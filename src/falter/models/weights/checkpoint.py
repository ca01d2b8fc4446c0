"""A checkpoint: its location, its configuration, and the fingerprint of its weights."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from falter.errors import InputError, UsageError
from falter.files import JsonDecoder, open_regular, sha256_of_bytes, sha256_of_file
from falter.models.options import ModelOptions
from falter.models.weights.devices import needed_package
from falter.models.weights.load_errors import explain_load_errors
from falter.nlp.hub import hub_arguments

__all__ = ["Checkpoint", "open_checkpoint"]

_WEIGHTS = (".safetensors", ".bin", ".gguf", ".pt", ".pth")
_WORDS = (".json", ".txt", ".model", ".jinja")
_SAFETENSORS_HEADER = 8
_LONGEST_HEADER = 100_000_000

_header = JsonDecoder(dict[str, Any])


@dataclass(frozen=True)
class Checkpoint:
    """What ``hf:`` was given, opened as far as its configuration."""

    source: str
    """A folder or an id on the hub, as transformers takes it."""
    config: Any
    labels: Path | None = None
    """The user's list of answers, for classifiers whose configuration does not name them."""
    arguments: dict[str, Any] = field(default_factory=dict)
    """For every call of ``from_pretrained``: ``revision``, ``trust_remote_code``, ``local_files_only`` with no hub."""

    @property
    def name(self) -> str:
        return Path(self.source).resolve().name if self.is_local else self.source

    @property
    def is_local(self) -> bool:
        return Path(self.source).is_dir()

    @property
    def model_type(self) -> str:
        return str(getattr(self.config, "model_type", "") or "")

    @property
    def architecture(self) -> str | None:
        """The class that the weights were saved from, where the configuration says so."""
        named = getattr(self.config, "architectures", None)
        return str(named[0]) if named else None

    def tensor_names(self) -> frozenset[str]:
        """The names in the files of weights, where they can be read without loading anything; else nothing."""
        if not self.is_local:
            return frozenset()
        names: set[str] = set()
        for path in sorted(Path(self.source).glob("*.safetensors")):
            names.update(_names_in(path))
        return frozenset(names)

    def fingerprint(self) -> str:
        """The commit of a checkpoint of the hub; the hash of all files of a folder."""
        commit = getattr(self.config, "_commit_hash", None)
        if not self.is_local:
            return f"{self.source}@{commit or self.arguments.get('revision') or 'unknown'}"
        hashes = [
            (path.name, sha256_of_file(path))
            for path in sorted(Path(self.source).iterdir())
            if path.suffix in _WEIGHTS or path.suffix in _WORDS
        ]
        return sha256_of_bytes(json.dumps(hashes).encode())


def open_checkpoint(rest: str, options: ModelOptions) -> Checkpoint:
    """Read the configuration behind ``ID_OR_PATH[,labels=FILE]``."""
    source, labels = _split(rest)
    if not Path(source).is_dir():
        _refuse_what_is_no_id(source)
    elif not (Path(source) / "config.json").is_file():
        raise InputError(source, "has no config.json", hint="give the folder that save_pretrained wrote")
    arguments: dict[str, Any] = {"trust_remote_code": options.trust_remote_code}
    if options.revision is not None:
        arguments["revision"] = options.revision
    if not Path(source).is_dir():
        with explain_load_errors(source, "configuration"):
            arguments |= hub_arguments(source, options.revision)
    transformers = needed_package("transformers")
    _keep_quiet(transformers)
    with explain_load_errors(source, "configuration"):
        config = transformers.AutoConfig.from_pretrained(source, **arguments)
    return Checkpoint(source=source, config=config, labels=labels, arguments=arguments)


def _split(rest: str) -> tuple[str, Path | None]:
    source, given, labels = rest.partition(",labels=")
    if source.startswith("~"):
        source = str(Path(source).expanduser())
    if not Path(source).is_dir() and "," in source:
        name = source.partition(",")[0]
        raise UsageError(
            f"hf:{rest}: after the checkpoint only labels=FILE can stand, e.g. hf:{name},labels=answers.json"
        )
    return source, Path(labels).expanduser() if given else None


def _refuse_what_is_no_id(source: str) -> None:
    """Reject a path or a file before it is looked up on the hub as an id."""
    if Path(source).is_file():
        raise InputError(source, "is a file, not a checkpoint", hint="give the folder that holds config.json")
    parts = source.split("/")
    if os.sep != "/" and os.sep in source:
        parts = [""]
    if len(parts) > 2 or not all(parts) or source.startswith((".", "~")):
        raise InputError(
            source, "there is no such folder", hint="give a folder with config.json, or an id like org/name"
        )


def _keep_quiet(transformers: Any) -> None:
    """Silence the libraries: only the command line prints."""
    transformers.logging.set_verbosity_error()
    needed_package("huggingface_hub").logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()


def _names_in(path: Path) -> list[str]:
    """The tensors of a safetensors file, from its header; an unreadable one is found out when it is loaded."""
    try:
        with open_regular(path) as stream:
            length = int.from_bytes(stream.read(_SAFETENSORS_HEADER), "little")
            if length > _LONGEST_HEADER:
                return []
            header = _header.decode(stream.read(length), path)
    except (OSError, InputError):
        return []
    return [name for name in header if name != "__metadata__"]
