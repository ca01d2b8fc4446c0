"""Suites: one folder per bundle, found by its registered name."""

BUILT_IN = {
    "basic-questions": "falter.suites.basic_questions:BUNDLE",
    "carets": "falter.suites.carets:BUNDLE",
    "contrast-sets": "falter.suites.contrast_sets:BUNDLE",
    "gqa": "falter.suites.benchmarks.gqa:BUNDLE",
    "hallusionbench": "falter.suites.benchmarks.hallusionbench:BUNDLE",
    "naturalbench": "falter.suites.benchmarks.naturalbench:BUNDLE",
    "pope": "falter.suites.benchmarks.pope:BUNDLE",
    "rad": "falter.suites.rad:BUNDLE",
    "sugarcrepe": "falter.suites.benchmarks.sugarcrepe:BUNDLE",
    "valse": "falter.suites.valse:BUNDLE",
    "vqa": "falter.suites.benchmarks.vqa:BUNDLE",
    "vsr": "falter.suites.benchmarks.vsr:BUNDLE",
    "winoground": "falter.suites.benchmarks.winoground:BUNDLE",
}
"""By name the bundles that come with Falter."""

SUITES = {"sugarcrepe-choice": "sugarcrepe", "valse-choice": "valse"} | {name: name for name in BUILT_IN}
"""By value of the column ``suite`` the bundle that answers for it, so that no other is imported to find it."""
