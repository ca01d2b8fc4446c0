"""Items, probes and suites, and their form on disk."""

from falter.probes.custom_suite import write_suite
from falter.probes.item import Expects, ImageRef, Item, Probe, Role, Task, Turn
from falter.probes.manifest import SuiteManifest, read_manifest
from falter.probes.suite import Suite, open_suite
from falter.probes.suite_writer import SUITE_FOLDER, SuiteWriter, create_suite
from falter.probes.votes import Vote, read_votes, write_votes

__all__ = [
    "SUITE_FOLDER",
    "Expects",
    "ImageRef",
    "Item",
    "Probe",
    "Role",
    "Suite",
    "SuiteManifest",
    "SuiteWriter",
    "Task",
    "Turn",
    "Vote",
    "create_suite",
    "open_suite",
    "read_manifest",
    "read_votes",
    "write_suite",
    "write_votes",
]
