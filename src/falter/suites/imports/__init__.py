"""Published suites, read in the form in which they were released."""

from falter.suites.imports.bringing import bring_in
from falter.suites.imports.protocol import IMPORTS, Account, Importer, ReadFile

__all__ = ["IMPORTS", "Account", "Importer", "ReadFile", "bring_in"]
