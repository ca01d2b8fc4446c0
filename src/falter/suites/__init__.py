"""Suites: one folder per bundle, found by its registered name."""

BUILT_IN = {
    "basic-questions": "falter.suites.basic_questions:BUNDLE",
    "carets": "falter.suites.carets:BUNDLE",
    "contrast-sets": "falter.suites.contrast_sets:BUNDLE",
    "gqa": "falter.suites.gqa:BUNDLE",
    "hallusionbench": "falter.suites.hallusionbench:BUNDLE",
    "naturalbench": "falter.suites.naturalbench:BUNDLE",
    "pope": "falter.suites.pope:BUNDLE",
    "rad": "falter.suites.rad:BUNDLE",
    "sugarcrepe": "falter.suites.sugarcrepe:BUNDLE",
    "valse": "falter.suites.valse:BUNDLE",
    "vqa": "falter.suites.vqa:BUNDLE",
    "vsr": "falter.suites.vsr:BUNDLE",
    "winoground": "falter.suites.winoground:BUNDLE",
}
"""By name the bundles that come with Falter."""
