"""Chromium, driven as the reader of an HTML report would use it."""

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.support.tools import needs, program

needs("selenium", "browser")  # without it, all files that import this one are skipped

from selenium import webdriver  # noqa: E402 - there is none to import where they are skipped
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.remote.webelement import WebElement  # noqa: E402
from selenium.webdriver.support.select import Select  # noqa: E402
from selenium.webdriver.support.wait import WebDriverWait  # noqa: E402

__all__ = ["COLOURS", "Browser", "Keys", "Select", "contrast", "started", "webdriver"]


@contextlib.contextmanager
def started() -> Iterator[webdriver.Chrome]:
    """A Chromium without a window, for as long as the block runs."""
    chromium, chromedriver = program("chromium"), program("chromedriver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in (
        "headless=new",
        "no-sandbox",
        "disable-gpu",
        "disable-dev-shm-usage",
        "disable-background-networking",
        "disable-component-update",
        "disable-sync",
        "window-size=1280,1000",
    ):
        options.add_argument(f"--{argument}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(chromedriver))
    try:
        yield driver
    finally:
        driver.quit()


class Browser:
    """A report in Chromium, used as its reader would."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(self, path: Path, fragment: str = "") -> None:
        self.driver.get("about:blank")
        self.driver.get(path.as_uri() + fragment)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def script(self, text: str) -> Any:
        return self.driver.execute_script(text)

    def until(self, condition: Callable[[], bool]) -> None:
        WebDriverWait(self.driver, 20, poll_frequency=0.05).until(lambda _: condition())

    def rows(self) -> list[str]:
        """The text of the rows, one line each."""
        rows = self.script(
            "return [...document.querySelectorAll('#rows > tr.row')].map((row) => row.innerText)"
        )
        return [" ".join(row.split()) for row in rows]

    def shows(self, rows: list[str]) -> bool:
        return self.rows() == rows

    def said(self) -> str:
        return self.one("#said").text

    def press_class(self, status: str) -> None:
        self.one(f"input[value={status}]").click()

    def address(self) -> dict[str, list[str]]:
        return parse_qs(self.driver.current_url.partition("#")[2])

    def hosts(self) -> set[str]:
        """Every host that was asked for something since this was last called."""
        log = self.driver.get_log("performance")  # type: ignore[no-untyped-call]
        events = [json.loads(entry["message"])["message"] for entry in log]
        asked = [event for event in events if event["method"] == "Network.requestWillBeSent"]
        addresses = [urlsplit(event["params"]["request"]["url"]) for event in asked]
        return {found.netloc for found in addresses if found.scheme.startswith("http")}

    def as_wide_as(self, width: int) -> None:
        """Make the window of a page so wide, in pixels."""
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False},
        )

    def in_theme(self, theme: str) -> None:
        """Have the reader prefer a light or a dark theme."""
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"features": [{"name": "prefers-color-scheme", "value": theme}]},
        )

    def assert_quiet(self) -> None:
        """Nothing was fetched, and nothing went wrong."""
        assert self.driver.get_log("browser") == []  # type: ignore[no-untyped-call]
        assert self.script("return performance.getEntriesByType('resource').length") == 0


COLOURS = """
const rgb = (text) => text.match(/[0-9.]+/g).map(Number);
const page = rgb(getComputedStyle(document.body).backgroundColor);
const colour = (element) => rgb(getComputedStyle(element).color);
return [...document.querySelectorAll("SELECTOR")].map((element) => [colour(element), page]);
"""
"""Gives the colours of all elements that SELECTOR fits, each with that of the page."""


def contrast(one: list[float], other: list[float]) -> float:
    """The contrast of two colours as WCAG 2 counts it, 1 to 21."""
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def luminance(colour: list[float]) -> float:
    """How bright a colour is as WCAG 2 counts it, 0 to 1."""
    parts = [part / 255 for part in colour[:3]]
    red, green, blue = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
