"""Images with everything but some boxes blurred, masked or cut off (CARETS, Section 4.2 d)."""

from falter.images.obfuscation.mean_color import DEFAULT_MEAN_COLOR, dataset_mean_color
from falter.images.obfuscation.obfuscate import OBFUSCATIONS, Obfuscation, obfuscate
from falter.images.obfuscation.regions import Region, enclosing_region, pixel_regions, visible_share

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
