"""Draws the screenshots of report and viewer in docs/images, of what ``falter demo`` made.

    falter demo --out DEMO
    python docs/draw_screenshots.py DEMO [FOLDER]

It needs playwright and a Chromium. Without a folder the screenshots are written to docs/images.
"""

from __future__ import annotations

import io
import shutil
import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import sync_playwright

import falter
from falter.core.files import write_atomically

WIDTHS = (1280, 390)
HEIGHT = 1180
SCHEMES: tuple[Any, ...] = ("light", "dark")
COLORS, COMMON = 256, 128
RIGHT, WRONG = "bow-image", "blind"


def main(demo: Path, folder: Path) -> None:
    """Report, failed pairs and viewer, in two widths and two schemes of colors."""
    report = (demo / "report.html").resolve().as_uri()
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with falter.view(demo / "runs") as view, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for width, scheme in product(WIDTHS, SCHEMES):
            context = browser.new_context(viewport={"width": width, "height": HEIGHT}, color_scheme=scheme)
            page = context.new_page()
            page.goto(report)
            page.wait_for_selector("article.pair")
            _save(page, folder / f"report-{width}-{scheme}.png")
            # A change of what follows # alone would not load the page anew.
            page.goto("about:blank")
            page.goto(f"{report}#failures?wrong={WRONG}&right={RIGHT}")
            page.wait_for_selector("article.pair.open img")
            page.wait_for_timeout(500)
            _save(page, folder / f"report-failures-{width}-{scheme}.png")
            page.goto(view.url)
            page.wait_for_selector("#pairs[aria-busy=false]")
            for name, model in (("wrong", WRONG), ("right", RIGHT)):
                page.select_option(f"#by-{name}", label=model)
                page.wait_for_url(f"**{name}={model}*")
                page.wait_for_selector("#pairs[aria-busy=false]")
            page.wait_for_selector("article.pair.open img")
            page.wait_for_timeout(500)
            page.evaluate("scrollTo(0, 0)")
            _save(page, folder / f"view-{width}-{scheme}.png")
            context.close()
        browser.close()
    shutil.copyfile(folder / "report-1280-light.png", folder / "report.png")


def _save(page: Any, path: Path) -> None:
    """A screenshot of what is in sight, in few colors, so that the repository stays small."""
    pixels = np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
    colors, place, counts = np.unique(pixels.reshape(-1, 3), axis=0, return_inverse=True, return_counts=True)
    # The commonest colors stay as they are: backgrounds, texts, models. The rest are of images.
    common = colors[np.argsort(-counts, kind="stable")[:COMMON]]
    found = Image.fromarray(pixels).quantize(COLORS - COMMON, method=Image.Quantize.MAXCOVERAGE)
    palette = np.concatenate([common, np.array(found.getpalette(), dtype=np.uint8).reshape(-1, 3)])[:COLORS]
    distances = [((palette.astype(np.int32) - color) ** 2).sum(axis=1) for color in colors.astype(np.int32)]
    nearest = np.array([int(one.argmin()) for one in distances], dtype=np.uint8)
    image = Image.fromarray(nearest[place].reshape(pixels.shape[:2]), "P")
    image.putpalette(palette.tobytes())
    written = io.BytesIO()
    image.save(written, "PNG", optimize=True)
    write_atomically(path, written.getvalue())


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else Path(__file__).parent / "images")
