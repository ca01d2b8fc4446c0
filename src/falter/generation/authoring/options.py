"""Options of generating and importing, and those that one suite or importer declares.

Each is one struct for the command line, Python and the manifest.

A field is ``name: Annotated[type, Meta(description=..., extra={...})] = default``. ``extra`` may hold ``metavar``,
``option`` (the name on the command line where it is not the field's) and ``needs`` (with which other options alone it
has an effect, such as ``("--ranker lasso", "no --ranker")``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta

from falter.core.errors import UsageError
from falter.data.image_mode import ImageMode

S = TypeVar("S", bound=msgspec.Struct)


Positive = Annotated[int, Meta(ge=1)]

Overwrite = Annotated[bool, Meta(description="Replace what such a command wrote, and nothing else.")]
Images = Annotated[ImageMode, Meta(description="Copy the images into the suite, link them, or leave them out.")]
Workers = Annotated[int, Meta(description="Number of worker processes; does not change the output.", extra={"min": 1})]


class GenerateOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a user wants generated and how: which tests, how many pairs of each, from which seed, by how many workers.

    ``suite_options`` is the bundle's own struct of options; None where it declares none.
    """

    tests: Annotated[
        tuple[str, ...],
        Meta(
            description=(
                "Test to generate, as falter list suites shows them; may be repeated. Default: those of the paper."
            ),
            extra={"option": "--test", "metavar": "NAME"},
        ),
    ] = ()
    size: Annotated[
        int | Literal["paper"] | None,
        Meta(description="Pairs per test. Default: as many as the source allows.", extra={"metavar": "N|paper"}),
    ] = None
    seed: Annotated[int, Meta(description="Random seed.", extra={"metavar": "S"})] = 0
    images: Images = "copy"
    workers: Workers = 1
    executor: Annotated[
        str,
        Meta(
            description="What runs the workers: inline, processes:N, or a plugin. Default: processes here.",
            extra={"metavar": "SPEC"},
        ),
    ] = ""
    overwrite: Overwrite = False
    plugins: tuple[Path, ...] = ()
    suite_options: msgspec.Struct | None = None


class TrainingOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What training files are like that are generated instead of a suite."""

    format: Annotated[str, Meta(description="Format of the training file.", extra={"metavar": "NAME"})] = ""
    split: Annotated[str, Meta(description="Split named in the training file.", extra={"metavar": "NAME"})] = "train"
    evaluation: Annotated[
        tuple[Path, ...],
        Meta(
            description=("Suite to evaluate on: no training question is about one of its images; may be repeated."),
            extra={"metavar": "SUITE"},
        ),
    ] = ()


class ImportOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a released suite is imported; ``release_options`` is the importer's own struct, None where it has none."""

    image_dir: Annotated[Path | None, Meta(description="Folder with the images.", extra={"metavar": "DIR"})] = None
    images: Images = "copy"
    workers: Workers = 1
    overwrite: Overwrite = False
    release_options: msgspec.Struct | None = None


UseWordNet = Annotated[bool, Meta(description="Use WordNet to classify object names that the ontology lacks.")]
"""The type of the field ``wordnet``, for options that cannot have :class:`WordOptions` as their only base."""


class WordOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of generators that use the grammar."""

    wordnet: UseWordNet = False


class ImageOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of generators that obfuscate images."""

    mean_color: Annotated[
        str | None,
        Meta(
            description="Color of masked regions. Default: the mean color of the source's images.",
            extra={"metavar": "R,G,B"},
        ),
    ] = None

    def __post_init__(self) -> None:
        self.rgb()

    def rgb(self) -> tuple[int, int, int] | None:
        """The color as three numbers, or None where the source's mean is wanted."""
        if self.mean_color is None:
            return None
        parts = self.mean_color.split(",")
        if len(parts) != 3 or not all(part.strip().isdigit() and int(part) < 256 for part in parts):
            raise UsageError(f"--mean-color {self.mean_color!r} is not R,G,B with numbers from 0 to 255")
        red, green, blue = (int(part) for part in parts)
        return red, green, blue


class ItemFormatOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of importers whose release can be converted in several ways; subclasses say which."""

    item_format: str = ""


def paths_of_options(options: msgspec.Struct | None) -> list[Path]:
    """The files and folders that options name, by themselves or in the spec of a source."""
    from falter.data.sources import SOURCES, spec_paths

    paths: list[Path] = []
    for value in () if options is None else msgspec.structs.asdict(options).values():
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, Path):
                paths.append(one)
            elif isinstance(one, str) and ":" in one and one.partition(":")[0] in SOURCES:
                paths += spec_paths(one)
    return paths


def uses_wordnet(options: msgspec.Struct | None) -> bool:
    """Whether the user asked for words of WordNet, in options that have such a field."""
    return bool(getattr(options, "wordnet", False))


def option_name(field: str, meta: Mapping[str, Any] | None = None) -> str:
    """A field's name on the command line.

    >>> option_name("pool_type"), option_name("lam", {"option": "--lambda"})
    ('--pool-type', '--lambda')
    """
    return str((meta or {}).get("option") or f"--{field.replace('_', '-')}")


def option_names(options: type[msgspec.Struct] | None) -> dict[str, str]:
    """By field the name on the command line."""
    if options is None:
        return {}
    found = {}
    for field in msgspec.structs.fields(options):
        info = msgspec.inspect.type_info(field.type)
        extra = info.extra if isinstance(info, msgspec.inspect.Metadata) else None
        found[field.name] = option_name(field.name, extra)
    return found


def build_options(
    owner: str, options: type[S] | None, given: Mapping[str, Any], tests: Sequence[str] | None = None
) -> S | None:
    """The options of a suite or importer from what was given; an unknown name or a bad value is a UsageError.

    So is one that has no effect beside the others, or on the ``tests``, which are () for those of the paper.

    >>> build_options("mine", WordOptions, {"wordnet": True})
    WordOptions(wordnet=True)
    """
    names = option_names(options)
    for name in given:
        if name not in names:
            known = f"it has {', '.join(sorted(names.values()))}" if names else "it has no options of its own"
            raise UsageError(f"{owner} has no option {option_name(name)}; {known}")
    if options is None:
        return None
    try:
        built = msgspec.convert(dict(given), options, strict=False, dec_hook=_decode)
    except msgspec.ValidationError as error:
        cause = error.__cause__
        if isinstance(cause, UsageError):
            raise cause from None
        problem, _, path = str(error).partition(" - at `$.")
        field = path.rstrip("`").split("[")[0]
        choices = _choices(options, field)
        if choices:
            problem = f"not one of {', '.join(choices)}"
        raise UsageError(f"{names.get(field, owner)} {given.get(field)!r}: {problem}") from error
    _refuse_idle(built, names, tests)
    return built


def _refuse_idle(built: msgspec.Struct, names: Mapping[str, str], tests: Sequence[str] | None) -> None:
    """Stop where a field is not its default and none of what its ``needs`` name holds."""
    fields = {field.name: field for field in msgspec.structs.fields(built)}
    values: dict[str, Any] = {names[name]: getattr(built, name) for name in fields}
    is_default = {names[name]: getattr(built, name) == field.default for name, field in fields.items()}
    if tests is not None:
        values["--test"], is_default["--test"] = tests, not tests
    for name, field in fields.items():
        info = msgspec.inspect.type_info(field.type)
        extra = (info.extra if isinstance(info, msgspec.inspect.Metadata) else None) or {}
        needs: Sequence[str] = extra.get("needs", ())
        if is_default[names[name]] or not needs or any(_holds(one, values, is_default) for one in needs):
            continue
        wanted = [one for one in needs if not one.startswith("no ")]
        raise UsageError(f"{names[name]} has no effect without {' or '.join(wanted)}; add it, or leave it out")


def _holds(condition: str, values: Mapping[str, Any], is_default: Mapping[str, bool]) -> bool:
    """``--keep-all``: it is given; ``--ranker lasso``: it has this value or pattern; ``no --test``: it is not given."""
    if condition.startswith("no "):
        return is_default.get(condition.removeprefix("no "), True)
    option, _, pattern = condition.partition(" ")
    value = values.get(option)
    if option not in values or not pattern:
        # Where a caller has no tests, it says nothing of them.
        return option not in values or bool(value)
    return any(fnmatchcase(str(one), pattern) for one in (value if isinstance(value, list | tuple) else [value]))


def _choices(options: type[msgspec.Struct], field: str) -> list[str]:
    """The values of a field that takes a few names only."""
    kinds = [one.type for one in msgspec.structs.fields(options) if one.name == field]
    info = msgspec.inspect.type_info(kinds[0]) if kinds else None
    inner = info.type if isinstance(info, msgspec.inspect.Metadata) else info
    if isinstance(inner, msgspec.inspect.UnionType):
        inner = next((one for one in inner.types if isinstance(one, msgspec.inspect.LiteralType)), inner)
    return [str(value) for value in inner.values] if isinstance(inner, msgspec.inspect.LiteralType) else []


def _decode(kind: type, value: Any) -> Any:
    if issubclass(kind, Path):
        return kind(value)
    raise NotImplementedError(kind)
