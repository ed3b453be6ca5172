"""The HTML report in narrow windows and on paper: Chromium, driven as a reader would use it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from snapdiff import diff_catalogs, load_catalog
from tests.support.browser import Browser, webdriver
from tests.support.documents import Item, lock, to_bytes
from tests.support.helpers import write_files
from tests.support.html_reports import rendered, snapshots_diff
from tests.support.real_catalogs import e4s_report, needs_real_catalogs

pytestmark = pytest.mark.slow


@pytest.fixture
def browser(driver: webdriver.Chrome) -> Iterator[Browser]:
    yield Browser(driver)
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


@pytest.fixture(scope="module")
def weekly(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report with many columns of numbers."""
    return _written(tmp_path_factory.mktemp("weekly"), rendered(snapshots_diff()))


@pytest.fixture(scope="module")
def environments(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of five environments, which are columns."""
    folder = tmp_path_factory.mktemp("environments")
    stays = Item("zlib", "1.3", explicit=True)
    for day, roots in (
        ("old", [Item("gone-here", "1.0", explicit=True), Item("hdf5", "1.0", explicit=True)]),
        ("new", [Item("new-here", "1.0", explicit=True), Item("hdf5", "2.0", explicit=True)]),
    ):
        some = {
            f"{name}-environment/spack.lock": to_bytes(lock([stays, *items]))
            for name, items in {**dict.fromkeys("abcd", roots), "e": roots[1:]}.items()
        }
        write_files(folder / day, some)
    sides = (load_catalog(str(folder / day)) for day in ("old", "new"))
    return _written(folder, rendered(diff_catalogs(*sides)))


def _written(folder: Path, text: str) -> Path:
    path = folder / "report.html"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("width", "in_columns"), [(390, False), (820, False), (1065, False), (1280, True)]
)
def test_what_does_not_fit_in_columns_is_in_lines(
    browser: Browser, environments: Path, width: int, *, in_columns: bool
) -> None:
    browser.as_wide_as(width)
    browser.open(environments)
    lefts = {cell.rect["x"] for cell in browser.all("#rows .row:not(.class) td.cell") if cell.text}
    assert (len(lefts) > 1) is in_columns
    assert browser.script("return document.documentElement.scrollWidth") <= width
    hint = browser.one("#changes .hint").text
    assert hint == ("empty: not there" if in_columns else "")


@pytest.mark.parametrize("width", [390, 820, 1000])
def test_numbers_without_columns_say_what_they_count(
    browser: Browser, weekly: Path, width: int
) -> None:
    browser.as_wide_as(width)
    browser.open(weekly)
    assert not browser.one(".counts thead").is_displayed()
    row = next(it.text for it in browser.all(".counts tbody tr") if it.text.startswith("e4s\n"))
    assert row.split("\n")[1].startswith("1 gone 7 upgraded 2 other changes 5 rebuilt ")
    assert row.endswith("18 packages")


def test_few_columns_stay_columns_in_a_window_half_as_wide(browser: Browser, weekly: Path) -> None:
    browser.as_wide_as(820)
    browser.open(weekly)
    assert browser.one("th.moves").is_displayed()


def test_on_a_phone_no_class_is_out_of_sight(browser: Browser, weekly: Path) -> None:
    browser.as_wide_as(390)
    browser.open(weekly)
    chips = [chip.rect for chip in browser.all(".chip") if chip.is_displayed()]
    assert len(chips) == 9
    assert max(chip["x"] + chip["width"] for chip in chips) < 390


def test_on_paper_words_say_what_is_not_listed(browser: Browser, tmp_path: Path) -> None:
    browser.open(_written(tmp_path, rendered(snapshots_diff("environments/"))), "#q=4")
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert browser.said() == "6 of 10 changed packages, 6 specs; search 4; without 4 dependencies"
    assert not [it for it in browser.all("input, button:not(.sort, .unfold)") if it.is_displayed()]
    browser.script("document.forms[0].elements.dependencies.click()")
    assert browser.said() == "10 changed packages, 10 specs; search 4"


def test_on_paper_headings_stay_with_what_is_below_and_the_end_with_what_is_above(
    browser: Browser, tmp_path: Path
) -> None:
    browser.open(_written(tmp_path, rendered(snapshots_diff("environments/"))))
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    style = "getComputedStyle(document.querySelector('{}')).break{}"
    headings = ("h2", "h3", "#found", ".hint", "#rows .class")
    afters = [browser.script("return " + style.format(it, "After")) for it in headings]
    assert afters == ["avoid"] * 5
    assert browser.script("return " + style.format("footer", "Before")) == "avoid"


@needs_real_catalogs
def test_the_page_of_e4s_is_no_wider_than_any_window(browser: Browser, tmp_path: Path) -> None:
    browser.open(_written(tmp_path, e4s_report("html")))
    for width in (390, 820, 1150):
        browser.as_wide_as(width)
        assert browser.script("return document.documentElement.scrollWidth") <= width
        assert browser.script(BROKEN) == [], width


BROKEN = """
const words = (cell) => [...cell.textContent.matchAll(/[^\\s-]+/g)].map((found) => {
  const range = document.createRange();
  range.setStart(cell.firstChild, found.index);
  range.setEnd(cell.firstChild, found.index + found[0].length);
  return new Set([...range.getClientRects()].map((box) => box.top)).size > 1 ? found[0] : "";
});
return [...document.querySelectorAll("#rows td.cell")].filter((cell) => cell.firstChild)
  .flatMap(words).filter(Boolean);
"""
"""Gives the words in cells that are broken."""
