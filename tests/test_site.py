"""The site of the documentation: it is complete, its links lead somewhere, and it can be read."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

import click
import pytest

import snapdiff
from snapdiff.cli.commands import cli
from snapdiff.reports.json_report import json_schema
from tests.support.browser import Browser, Keys, contrast, started
from tests.support.helpers import PROJECT
from tests.support.nightly import nightly_but
from tests.support.once import made_once
from tests.support.servers import serving
from tests.support.tools import needs

needs("sphinx", "docs")
pytestmark = pytest.mark.slow

COPIED = ("docs", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
"""What the site is made from, but for the code."""


def build(project: Path, folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """Run what `make site` runs, on the documentation of a project, into a folder."""
    [rule] = re.findall(r"^\t\$\(BIN\)/sphinx-build (-W .*)$", text_of("Makefile"), re.MULTILINE)
    options = rule.replace("build/", f"{folder}/").split()
    return subprocess.run(
        [sys.executable, "-m", "sphinx", *options, *more],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )


def text_of(name: str) -> str:
    return (PROJECT / name).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def make(folder: Path) -> None:
        done = build(PROJECT, folder)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

    return made_once(tmp_path_factory, "documentation", make) / "site"


class Page(HTMLParser):
    """The addresses in a page: those it links to, those it loads, and the places it has."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.places: set[str] = set()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id":
                self.places.add(value or "")
            elif name == "href" and tag == "a":
                self.links.append(value or "")
            elif name in ("src", "srcset", "href", "data", "action"):
                self.loads.append(value or "")


def pages_of(site: Path) -> dict[Path, Page]:
    return {file: Page(file) for file in sorted(site.rglob("*.html"))}


def test_every_link_within_the_site_leads_to_a_place_that_is_there(site: Path) -> None:
    pages = pages_of(site)
    assert len(pages) > 20
    for file, page in pages.items():
        for address in [*page.links, *page.loads]:
            found = urlsplit(address)
            if found.scheme or found.netloc:
                continue
            path = unquote(found.path)
            target = Path(os.path.normpath(file.parent / path)) if path else file
            assert target.is_file(), (file, address)
            if found.fragment and target in pages:
                assert unquote(found.fragment) in pages[target].places, (file, address)


def test_no_page_style_or_picture_names_another_host_to_load_from(site: Path) -> None:
    for file, page in pages_of(site).items():
        assert [address for address in page.loads if urlsplit(address).netloc] == [], file
    for file in (*site.rglob("*.css"), *site.rglob("*.svg")):
        text = file.read_text(encoding="utf-8")
        assert re.findall(r"(?:url\(|@import|href=|src=)\s*['\"]?(?:https?:)?//", text) == [], file


@pytest.mark.nightly
def test_a_page_that_is_nowhere_listed_and_a_dead_link_break_the_build(tmp_path: Path) -> None:
    for name in COPIED:
        copy = shutil.copytree if (PROJECT / name).is_dir() else shutil.copy
        copy(PROJECT / name, tmp_path / name)
    (tmp_path / "docs" / "lost.md").write_text("# Lost\n\n[dead](gate.md#no-such-place)\n")
    done = build(tmp_path, tmp_path / "build", "-b", "dummy")
    assert done.returncode == 1
    assert "lost.md: WARNING: document isn't included in any toctree" in done.stderr
    assert re.search("lost.md:3: WARNING: .*no-such-place", done.stderr)


def test_every_command_and_option_has_a_place(site: Path) -> None:
    places = Page(site / "reference" / "commands.html").places
    context = click.Context(cli, **cli.context_settings)
    names = cli.list_commands(context)
    assert {"diff", "why", "changelog"} <= set(names)
    for name in names:
        assert f"snapdiff-{name}" in places
        command = cli.get_command(context, name)
        assert command
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                option = parameter.opts[-1].lstrip("-")
                assert f"cmdoption-snapdiff-{name}-{option}" in places, (name, option)


def test_options_and_examples_are_written_as_help_prints_them(site: Path) -> None:
    page = re.sub("<[^>]+>", "", (site / "reference" / "commands.html").read_text("utf-8"))
    for line in (
        "-s, --stack GLOB[,GLOB]",
        "--color [auto|always|never]",
        "-h, --help",
        "snapdiff why hdf5 HEAD~1 HEAD                 all specs of hdf5 that changed",
        "  └── openmpi 5.0.0rc16 → 5.0.0\n      └── numactl",
    ):
        assert line in page


def test_the_gallery_shows_reports_in_markdown_as_readers_see_them(site: Path) -> None:
    text = (site / "gallery.html").read_text(encoding="utf-8")
    shown = re.findall('<div class="rendered">(.*?)</div>', text, re.DOTALL)
    assert [it.count("<strong>Downgraded</strong>") for it in shown] == [0, 1]
    assert "<li><code>hdf5</code>\n<ul>\n<li><code>e4s-neoverse-v2</code>, " in shown[-1]


def test_every_public_name_has_a_place(site: Path) -> None:
    places = Page(site / "reference" / "python.html").places
    names = {f"snapdiff.{name}" for name in snapdiff.__all__ if name != "__version__"}
    assert names - places == set()


def test_the_schema_is_the_one_of_the_command_and_every_object_is_explained(site: Path) -> None:
    schema = json_schema()
    assert (site / "report.schema.json").read_text("utf-8") == json.dumps(schema, indent=2) + "\n"
    places = Page(site / "reference" / "json.html").places
    assert {f"json-{name.lower()}" for name in schema["$defs"]} <= places


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """The address of the site, on a web server as it would be published."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site)))
    with serving(server):
        yield f"http://127.0.0.1:{server.server_port}"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Say nothing."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with started() as driver:
        yield Browser(driver)


@pytest.mark.parametrize(
    ("words", "page"),
    nightly_but(
        [
            ("pairing", "How pairing decides"),
            ("zlib-ng", "What changed in an environment"),
            ("load_catalog", "snapdiff.load_catalog"),
            ("--fail-on", "A gate in CI"),
        ],
        [("load_catalog", "snapdiff.load_catalog")],
    ),
)
def test_the_search_finds_a_page(browser: Browser, address: str, words: str, page: str) -> None:
    browser.driver.get(address)
    browser.one("input[name=q]").send_keys(words, Keys.ENTER)
    browser.until(lambda: "Search finished" in browser.one("#search-results").text)
    browser.until(lambda: len(browser.all("#search-results li a")) > 0)
    assert page in [link.text for link in browser.all("#search-results li a")]


@pytest.mark.nightly
def test_nothing_is_asked_of_another_host(browser: Browser, address: str) -> None:
    browser.hosts()
    for page in ("index", "gallery", "causes", "reference/commands", "reference/python"):
        browser.driver.get(f"{address}/{page}.html")
    browser.driver.get(f"{address}/search.html?q=pairing")
    browser.until(lambda: len(browser.all("#search-results li a")) > 0)
    assert browser.hosts() == {urlsplit(address).netloc}


@pytest.mark.nightly
def test_no_page_is_wider_than_its_window(browser: Browser, address: str, site: Path) -> None:
    for file in pages_of(site):
        browser.driver.get(f"{address}/{file.relative_to(site)}")
        for width in (390, 820, 1320, 1440):
            browser.as_wide_as(width)
            assert browser.script(OVER_THE_EDGE) == [], (file, width)


OVER_THE_EDGE = """
const edge = document.documentElement.clientWidth;
const scrolls = (element) => element && (element !== document.documentElement)
    && (getComputedStyle(element).overflowX !== "visible"
        || getComputedStyle(element).position === "fixed" || scrolls(element.parentElement));
return [document.scrollingElement.scrollWidth > edge ? "the page" : null,
    ...[...document.querySelectorAll("article *, .toc-drawer *")].filter((element) =>
        element.getClientRects().length && element.getBoundingClientRect().right > edge + 1
        && !scrolls(element)).map((element) => element.outerHTML.slice(0, 100)),
].filter(Boolean);
"""
"""Gives what is beyond the right edge: in no box that scrolls by itself, and no closed drawer."""


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    "page",
    nightly_but(
        ["index", "causes", "gallery", "reference/commands", "reference/json", "reference/python"],
        ["gallery"],
    ),
)
def test_every_text_can_be_read_in_both_themes(
    browser: Browser, address: str, page: str, theme: str
) -> None:
    browser.as_wide_as(1440)
    browser.in_theme(theme)
    browser.driver.get(f"{address}/{page}.html")
    texts = browser.script(TEXTS)
    assert len(texts) > 50
    for text, colour, background in texts:
        assert contrast(colour, background) >= 4.5, (text, colour, background)
    [page_colour] = {tuple(background) for text, _, background in texts if text == "h1"}
    assert (sum(page_colour[:3]) < 3 * 64) == (theme == "dark")


TEXTS = """
const rgb = (text) => text.match(/[0-9.]+/g).map(Number);
const behind = (element) => {
    const colour = element && rgb(getComputedStyle(element).backgroundColor);
    return !element ? [255, 255, 255]
        : colour.length === 3 ? colour : behind(element.parentElement);
};
const own = (element) => [...element.childNodes].some(
    (node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
return [...document.body.querySelectorAll("*")]
    .filter((element) => own(element) && element.checkVisibility({checkVisibilityCSS: true,
        checkOpacity: true}) && element.getBoundingClientRect().width > 1)
    .map((element) => [element.tagName === "H1" ? "h1" : element.textContent.slice(0, 40),
        rgb(getComputedStyle(element).color), behind(element)]);
"""
"""Gives every visible text, its colour, and the colour behind it."""
