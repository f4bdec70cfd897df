"""The figures of docs/server.md: the page of a running server, in the system's Chromium.

    textveil serve --port 8000 &
    python tools/page_screenshots.py http://127.0.0.1:8000 docs/figures

Writes ``server-page.png`` and ``server-page-epsilon.png``; with ``--all`` also the whole page at 390 and 1280 pixels,
light and dark, for eyes. Draws are fresh, so no two runs show the same release.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES: Final = ("chromium", "chromium-browser", "google-chrome")
SCHEMES: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")


def main() -> None:
    """Take the screenshots."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url", help="of a server that takes requests without a key")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--all", action="store_true", help="the whole page, wide and narrow, light and dark")
    asked = parser.parse_args()
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--no-proxy-server"])
        page = shown(browser, asked.url, 1280, "light")
        bottom = page.locator("#promise .cards").bounding_box()
        assert bottom is not None
        height = bottom["y"] + bottom["height"] + 24
        clip = {"x": 0.0, "y": 0.0, "width": 1280.0, "height": height}
        page.screenshot(path=asked.folder / "server-page.png", full_page=True, clip=clip)  # type: ignore[arg-type]
        page.locator(".explore").screenshot(path=asked.folder / "server-page-epsilon.png")
        if asked.all:
            for width in (390, 1280):
                for scheme in SCHEMES:
                    page = shown(browser, asked.url, width, scheme)
                    page.screenshot(path=asked.folder / f"page-{width}-{scheme}.png", full_page=True)
        browser.close()


def shown(browser: Browser, url: str, width: int, scheme: Literal["light", "dark"]) -> Page:
    """The page with its example released under ``prompts``, and what stood there beside it."""
    page = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme).new_page()
    page.goto(url)
    page.wait_for_selector("#outcomes li")
    page.wait_for_selector("#policy option", state="attached")
    page.select_option("#policy", "prompts")
    page.click("#sample")
    page.wait_for_selector("#under mark")
    page.click("#go")
    page.wait_for_selector("#copy:not([hidden])")
    page.check("#compare")
    page.evaluate("document.activeElement.blur()")
    return page


if __name__ == "__main__":
    main()
