"""Write the gallery's pictures: the terminal's as SVG, the HTML page's as PNG.

    python docs/pictures.py

The page is photographed by Debian's chromium, once in each theme and once as wide as a phone.
"""

import io
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.text import Text

from snapdiff.reports.terminal import PLAIN_WIDTH

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
SNAPSHOTS = ("snapshots/2025-06-29", "snapshots/2025-07-06")
COMMAND = [sys.executable, "-m", "snapdiff", *SNAPSHOTS, "-t", "develop"]

_FONTS_OF_A_HOST = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
"""Where rich's pictures have a browser fetch a font; without it, the reader's own is taken."""


def terminal() -> None:
    """Write the text report, in colour, as an SVG."""
    options = ["-s", "hep", "-s", "ml-*", "--group-by", "package"]
    command = [*COMMAND, *options, "-f", "text", "--color", "always"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S603
    console = Console(record=True, width=PLAIN_WIDTH, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(done.stdout))
    words = " ".join(["snapdiff", *SNAPSHOTS, "-t", "develop", *options])
    picture = console.export_svg(title=words, unique_id="terminal")
    (PICTURES / "terminal.svg").write_text(_FONTS_OF_A_HOST.sub("", picture), encoding="utf-8")


def browser() -> None:
    """Write the HTML report as a browser shows it."""
    from selenium import webdriver

    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "report.html")
        subprocess.run([*COMMAND, "-o", page], cwd=ROOT, check=True)  # noqa: S603
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for argument in ("--headless=new", "--no-sandbox", "--hide-scrollbars", "--disable-gpu"):
            options.add_argument(argument)
        service = webdriver.ChromeService("/usr/bin/chromedriver")
        with webdriver.Chrome(options=options, service=service) as driver:
            for name, width, height, theme in (
                ("html-light", 1200, 900, "light"),
                ("html-dark", 1200, 900, "dark"),
                ("html-phone", 390, 844, "light"),
            ):
                size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
                driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
                media = [{"name": "prefers-color-scheme", "value": theme}]
                driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})
                driver.get(page.as_uri())
                time.sleep(1)  # the first tiles of a page can be those of the last
                driver.save_screenshot(str(PICTURES / f"{name}.png"))


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    terminal()
    browser()
