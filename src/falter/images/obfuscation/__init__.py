"""Pictures with everything but some boxes blurred, masked or cut off (CARETS, Section 4.2 d)."""

from falter.images.obfuscation.mean_color import DEFAULT_MEAN_COLOUR, mean_colour_of
from falter.images.obfuscation.obfuscate import OBFUSCATIONS, Obfuscation, obfuscate
from falter.images.obfuscation.regions import Region, enclosing, pixel_regions

__all__ = [
    "DEFAULT_MEAN_COLOUR",
    "OBFUSCATIONS",
    "Obfuscation",
    "Region",
    "enclosing",
    "mean_colour_of",
    "obfuscate",
    "pixel_regions",
]
