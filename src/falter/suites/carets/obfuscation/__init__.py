"""Images with everything but some boxes blurred, masked or cut off (CARETS, Section 4.2 d)."""

from falter.suites.carets.obfuscation.decoding import DEFAULT_MEAN_COLOR, dataset_mean_color
from falter.suites.carets.obfuscation.obfuscate import (
    OBFUSCATIONS,
    Obfuscation,
    Region,
    enclosing_region,
    obfuscate,
    pixel_regions,
    visible_share,
)

__all__ = [
    "DEFAULT_MEAN_COLOR",
    "OBFUSCATIONS",
    "Obfuscation",
    "Region",
    "dataset_mean_color",
    "enclosing_region",
    "obfuscate",
    "pixel_regions",
    "visible_share",
]
