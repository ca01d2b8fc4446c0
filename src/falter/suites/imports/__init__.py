"""Published suites, read in the form in which they were released."""

from falter.suites.imports.bringing import bring_in
from falter.suites.imports.protocol import (
    IMPORTS,
    Account,
    Importer,
    NamesObjects,
    NamesPictures,
    Posable,
    ReadFile,
)
from falter.suites.imports.views import ViewOrder

__all__ = [
    "IMPORTS",
    "Account",
    "Importer",
    "NamesObjects",
    "NamesPictures",
    "Posable",
    "ReadFile",
    "ViewOrder",
    "bring_in",
]
