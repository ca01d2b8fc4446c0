"""A checkpoint: its location, its configuration, the fingerprint of its weights, and what is loaded from it.

Weights that lack what is asked of them are refused. The processor or the tokenizer is the one that it came with. What
goes wrong while it is opened is one line that says what to do.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from falter.core.errors import FalterError, InputError, UsageError
from falter.core.files import JsonDecoder, open_regular, sha256_of_bytes, sha256_of_file
from falter.core.optional_packages import hub_arguments, hub_unreachable, import_package
from falter.data.model_options import ModelOptions
from falter.evaluation.models.weights.devices import Placement, is_out_of_memory

_OFFLINE = ("couldn't connect", "connection error", "offline", "failed to resolve", "name resolution", "max retries")
_NOT_THERE = ("is not a valid model identifier", "repository not found", "401 client error", "404 client error")
_PACKAGE = re.compile(r"pip install (?:-U )?[`']?([\w-]+)|requires? the ([\w-]+) library|No module named '([\w-]+)")


@contextmanager
def explain_load_errors(source: str, what: str) -> Iterator[None]:
    """Turn whatever transformers raises while it reads ``what`` of a checkpoint into one clear line."""
    try:
        yield
    except FalterError:
        raise
    except Exception as error:
        raise _explain_error(source, what, error) from error


def _explain_error(source: str, what: str, error: Exception) -> FalterError:
    said = " ".join(str(error).split())
    low = said.lower()
    if is_out_of_memory(error):
        return UsageError(f"{source} does not fit the memory: give -M dtype=bf16, another --device, or a smaller model")
    if "trust_remote_code" in low:
        return UsageError(
            f"{source} brings its own Python code, which is not run unless you say so: read it, then give "
            "-M trust_remote_code=true"
        )
    if isinstance(error, ImportError):
        found = _PACKAGE.search(said)
        package = next((name for name in found.groups() if name), "") if found else ""
        missing = package.lower() or "another package"
        return UsageError(f"the {what} of {source} needs {missing}: pip install {missing}")
    if "gated" in low:
        return UsageError(f"{source} is gated on the hub: accept its terms there, then log in with hf auth login")
    if any(words in low for words in _NOT_THERE):
        return UsageError(f"there is no folder and no model on the hub named {source}: check the name")
    if any(words in low for words in _OFFLINE) or isinstance(error, ConnectionError):
        return hub_unreachable(source)
    if "does not recognize this architecture" in low or "unrecognized model" in low:
        return InputError(
            source, "is of a kind that the installed transformers does not know", hint="pip install -U transformers"
        )
    return InputError(source, f"the {what} cannot be read: {_shorten(error, said)}", hint=_REMEDIES.get(what, ""))


def _shorten(error: Exception, said: str) -> str:
    first = re.split(r"(?<=[.!]) ", said, maxsplit=1)[0]
    return f"{first or type(error).__name__}"[:300]


_REMEDIES = {
    "configuration": "config.json should be what save_pretrained wrote",
    "processor": "put preprocessor_config.json and the tokenizer's files beside the weights, as the model came with",
    "tokenizer": "put tokenizer.json or vocab.txt and tokenizer_config.json beside the weights",
    "weights": "put model.safetensors (all of its parts) beside config.json, or download it again",
}


_WEIGHTS = (".safetensors", ".bin", ".gguf", ".pt", ".pth")
_TEXT_FILES = (".json", ".txt", ".model", ".jinja")
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
            names.update(_tensor_names(path))
        return frozenset(names)

    def fingerprint(self) -> str:
        """The commit of a checkpoint of the hub; the hash of all files of a folder."""
        commit = getattr(self.config, "_commit_hash", None)
        if not self.is_local:
            return f"{self.source}@{commit or self.arguments.get('revision') or 'unknown'}"
        hashes = [
            (path.name, sha256_of_file(path))
            for path in sorted(Path(self.source).iterdir())
            if path.suffix in _WEIGHTS or path.suffix in _TEXT_FILES
        ]
        return sha256_of_bytes(json.dumps(hashes).encode())


def open_checkpoint(rest: str, options: ModelOptions) -> Checkpoint:
    """Read the configuration behind ``ID_OR_PATH[,labels=FILE]``."""
    source, labels = _split_spec(rest)
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
    transformers = import_package("transformers", "this model")
    _keep_quiet(transformers)
    with explain_load_errors(source, "configuration"):
        config = transformers.AutoConfig.from_pretrained(source, **arguments)
    return Checkpoint(source=source, config=config, labels=labels, arguments=arguments)


def _split_spec(rest: str) -> tuple[str, Path | None]:
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
    import_package("huggingface_hub", "this model").logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()


def _tensor_names(path: Path) -> list[str]:
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


_MOST_TENSORS_SHOWN = 2


def load_weights(checkpoint: Checkpoint, class_name: str, place: Placement) -> Any:
    """A model of a class of transformers, in evaluation mode on its device.

    Tensors that the files lack would be random numbers, and no warning would tell: that is refused here.
    """
    made = getattr(import_package("transformers", "this model"), class_name)
    with explain_load_errors(checkpoint.source, "weights"):
        model, report = made.from_pretrained(
            checkpoint.source, dtype=place.torch_dtype, output_loading_info=True, **checkpoint.arguments
        )
    missing = sorted({*report["missing_keys"], *(name for name, *_ in report.get("mismatched_keys", ()))})
    if missing:
        shown = ", ".join(missing[:_MOST_TENSORS_SHOWN]) + (", ..." if len(missing) > _MOST_TENSORS_SHOWN else "")
        raise InputError(
            checkpoint.source,
            f"the weights lack {len(missing)} tensors that a {type(model).__name__} needs ({shown})",
            hint="give the checkpoint that was trained for the task",
        )
    with explain_load_errors(checkpoint.source, "weights"):
        return model.to(place.device).eval()


def load_processor(checkpoint: Checkpoint) -> Any:
    """What makes tokens and pixels of a question and an image."""
    transformers = import_package("transformers", "this model")
    with explain_load_errors(checkpoint.source, "processor"):
        try:
            processor = transformers.AutoProcessor.from_pretrained(checkpoint.source, **checkpoint.arguments)
        except (ImportError, ValueError) as error:
            # The part for films needs torchvision; images do not need that part.
            processor = _without_films(checkpoint, transformers)
            if processor is None:
                raise
            del error
    if getattr(processor, "image_processor", None) is None or getattr(processor, "tokenizer", None) is None:
        raise InputError(
            checkpoint.source,
            f"has no processor for images and text, only a {type(processor).__name__}",
            hint="put preprocessor_config.json and the tokenizer's files beside the weights",
        )
    check_tokenizer(checkpoint.source, processor.tokenizer)
    if not getattr(processor, "chat_template", None) and "image" in str(processor.tokenizer.chat_template):
        # Some checkpoints keep the template for images with the tokenizer.
        processor.chat_template = processor.tokenizer.chat_template
    return processor


def load_tokenizer(checkpoint: Checkpoint) -> Any:
    """The tokenizer alone, for models that see regions instead of pixels."""
    transformers = import_package("transformers", "this model")
    with explain_load_errors(checkpoint.source, "tokenizer"):
        tokenizer = transformers.AutoTokenizer.from_pretrained(checkpoint.source, **checkpoint.arguments)
    check_tokenizer(checkpoint.source, tokenizer)
    return tokenizer


def check_vocabulary(checkpoint: Checkpoint, tokenizer: Any, model: Any) -> None:
    """Stop where the tokenizer counts further than the model: it belongs to another one."""
    embeddings = model.get_input_embeddings()
    known = getattr(embeddings, "num_embeddings", None)
    if known is not None and len(tokenizer) > known:
        raise InputError(
            checkpoint.source,
            f"its tokenizer has {len(tokenizer)} tokens and its weights know {known}: they do not belong together",
            hint="put the tokenizer's files beside the weights that they came with",
        )


def check_tokenizer(source: str, tokenizer: Any) -> None:
    """Refuse one without words, which is made in silence where files are missing; give one without padding a token."""
    words = tokenizer.get_vocab().keys() - set(tokenizer.all_special_tokens) - tokenizer.get_added_vocab().keys()
    if not words:
        raise InputError(
            source,
            "has no tokenizer: its vocabulary is empty",
            hint="put tokenizer.json or vocab.txt and tokenizer_config.json beside the weights",
        )
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token or tokenizer.unk_token


def _without_films(checkpoint: Checkpoint, transformers: Any) -> Any:
    """The same processor without its part for films; None where that was not the trouble."""
    from transformers.models.auto.processing_auto import processor_class_from_name

    named = transformers.models.auto.processing_auto.PROCESSOR_MAPPING_NAMES.get(checkpoint.model_type)
    made = processor_class_from_name(named) if isinstance(named, str) else None
    if made is None or "video_processor" not in made.get_attributes():
        return None
    parts = {
        "image_processor": transformers.AutoImageProcessor.from_pretrained(checkpoint.source, **checkpoint.arguments),
        "tokenizer": transformers.AutoTokenizer.from_pretrained(checkpoint.source, **checkpoint.arguments),
    }
    if set(made.get_attributes()) != {*parts, "video_processor"}:
        return None
    settings, _ = made.get_processor_dict(checkpoint.source, **checkpoint.arguments)

    class ForImages(made):  # type: ignore[misc, valid-type]
        """Takes no films."""

        def check_argument_for_proper_class(self, argument_name: str, argument: Any) -> Any:
            if argument_name == "video_processor":
                return type(None)
            return super().check_argument_for_proper_class(argument_name, argument)

        @classmethod
        def get_attributes(cls) -> list[str]:
            return [*parts, "video_processor"]

    kept = ("chat_template", "image_seq_len", "image_seq_length", "num_image_tokens")
    given = {name: settings[name] for name in kept if settings.get(name) is not None}
    template = given.pop("chat_template", None) or parts["tokenizer"].chat_template
    return ForImages(**parts, video_processor=None, chat_template=template, **given)
