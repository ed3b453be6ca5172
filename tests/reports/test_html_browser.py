"""The HTML report in a browser: Chromium, driven as a reader would use it."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from snapdiff import CatalogDiff, diff_catalogs, load_catalog, render_report
from snapdiff.safe_text import shown
from tests.support.browser import COLOURS, Browser, Keys, Select, contrast, webdriver
from tests.support.documents import Item, lock, needs, to_bytes
from tests.support.environments import after, before, write_locks
from tests.support.helpers import run_cli, run_json, write_files
from tests.support.hostile import VALUES
from tests.support.html_reports import hostile_diff, large_diff, rendered, snapshots_diff
from tests.support.nightly import nightly_but

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _written(tmp_path_factory.mktemp("html"), rendered(snapshots_diff()))


@pytest.fixture(scope="module")
def snapshots() -> CatalogDiff:
    return snapshots_diff()


@pytest.fixture(scope="module")
def environments(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of products and dependencies."""
    text = rendered(snapshots_diff("environments/"))
    return _written(tmp_path_factory.mktemp("environments"), text)


@pytest.fixture
def phone(driver: webdriver.Chrome) -> Iterator[Browser]:
    """A window that is as wide as a phone."""
    page = Browser(driver)
    page.as_wide_as(390)
    yield page
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def _written(folder: Path, text: str) -> Path:
    path = folder / "report.html"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def browser(driver: webdriver.Chrome, report: Path) -> Iterator[Browser]:
    page = Browser(driver)
    page.open(report)
    yield page
    page.assert_quiet()


def test_all_changes_show_first(browser: Browser) -> None:
    assert browser.said() == "24 changed packages, 93 specs"
    assert len(browser.rows()) == 24
    assert browser.rows()[0] == "pruners-ninja − 1.0.1 gone (e4s, e4s-neoverse-v2) 2"
    assert browser.address() == {}


def test_classes_narrow_and_the_address_keeps_them(browser: Browser) -> None:
    browser.press_class("downgraded")
    [row] = browser.rows()
    assert row == "py-setuptools ↓ 80.9.0 → 79.0.1 (the 3 ml-*) 2"
    browser.press_class("gone")
    assert browser.said().startswith("2 of 24 changed packages")
    assert browser.address() == {"status": ["gone,downgraded"]}
    browser.one("button[type=reset]").click()
    browser.until(lambda: browser.said() == "24 changed packages, 93 specs")
    assert browser.address() == {}


def test_each_class_is_counted_above_its_rows_as_in_the_sentence(browser: Browser) -> None:
    """The sentence adds up those that somebody does not look for."""
    sentence = " ".join(part.text for part in browser.all(".attention > p"))
    heads = [head.text.rsplit(": ", 1) for head in browser.all("#rows .class")]
    chips = {chip.text.strip() for chip in browser.all(".chip") if chip.is_displayed()}
    counts = {words: int(number) for words, number in heads}
    assert len(counts) == 9
    for words, number in counts.items():
        assert any(chip.endswith(f"{number} {words[0].lower()}{words[1:]}") for chip in chips)
    assert len(chips) == 9
    for words in (
        "gone",
        "new",
        "downgraded",
    ):  # these have names
        assert re.search(rf" {words}( to [0-9.]+)?( \(.*?\))?, ", sentence)
    others = counts["With more builds"] + counts["Reconfigured"]
    assert f" {counts['Upgraded']} are upgraded, {others} others changed less. " in sentence
    assert f", {counts['Only rebuilt']} more were only rebuilt (" in sentence
    assert f", {counts['With another os']} more have another os (data-vis-sdk). " in sentence
    browser.all("button.sort")[0].click()
    assert browser.all("#rows .class") == []


def test_the_whole_state_is_restored_from_its_address(browser: Browser, report: Path) -> None:
    browser.press_class("upgraded")
    Select(browser.one("select[name=stack]")).select_by_visible_text("e4s")
    browser.one("input[name=q]").send_keys("3.2 PETSC")
    browser.all("button.sort")[1].click()
    rows, said = browser.rows(), browser.said()
    assert said == "1 of 24 changed packages, 3 specs"
    assert browser.address() == {
        "status": ["upgraded"],
        "stack": ["e4s"],
        "q": ["3.2 PETSC"],
        "sort": ["specs"],
    }
    browser.open(report, "#" + browser.driver.current_url.partition("#")[2])
    assert (browser.rows(), browser.said()) == (rows, said)
    assert browser.one("th[data-sort=specs]").get_attribute("aria-sort") == "descending"
    assert browser.one("input[value=upgraded]").is_selected()


def test_an_address_with_nonsense_is_taken_for_what_it_has(browser: Browser, report: Path) -> None:
    browser.open(report, "#status=<b>,gone&stack=nowhere&sort=constructor&q=%ff&x=1&tag=[")
    assert browser.address()["status"] == ["<b>,gone"]
    assert browser.one("select[name=stack]").get_property("value") == ""
    assert browser.said() == "No package fits"
    assert browser.all("[aria-sort]") == []
    browser.one("button[type=reset]").click()
    browser.until(lambda: len(browser.rows()) == 24)


def test_search_finds_hashes_variants_and_compilers(browser: Browser) -> None:
    [change] = [
        change
        for stack in snapshots_diff(stack=("e4s",), package=("charliecloud",)).tags[0].stacks
        for change in stack.changes
    ]
    assert change.new
    search = browser.one("input[name=q]")
    for words in (change.new.hash, "+squashfuse charlie", "gcc@11.4.0 ~squashfuse"):
        search.clear()
        search.send_keys(words)
        assert any(row.startswith("charliecloud ≠ 0.40 reconfigured") for row in browser.rows())
        assert len(browser.rows()) < 24


def test_words_in_a_name_come_before_words_in_specs(browser: Browser) -> None:
    browser.one("input[name=q]").send_keys("mpi")
    heads = [head.text for head in browser.all("#rows .class")]
    assert heads == ["In the name: 3", "Elsewhere, as in versions and specs: 10"]
    assert {row.split()[0] for row in browser.rows()[:3]} == {
        "compiler-wrapper",
        "openmpi",
        "py-mpi4py",
    }
    assert browser.said().startswith("13 of 24 changed packages")
    browser.one("input[name=q]").send_keys("4py")
    assert browser.rows()[0].startswith("py-mpi4py ")


@pytest.mark.parametrize("words", ['"3.23.3 → 3.23.4"', '"3.23.3 → 3.23.4', "3.23.4 3.23.3"])
def test_words_in_quotes_are_found_as_they_are(browser: Browser, words: str) -> None:
    browser.one("input[name=q]").send_keys(words)
    assert [row.split()[0] for row in browser.rows()] == ["petsc"]
    browser.one("input[name=q]").clear()
    browser.one("input[name=q]").send_keys('"3.23.4 3.23.3"')
    assert browser.rows() == []


def test_a_column_sorts_and_pressed_again_sorts_no_more(browser: Browser) -> None:
    first = browser.rows()
    heads = browser.all("button.sort")
    heads[0].click()
    names = [row.split()[0] for row in browser.rows()]
    assert names == sorted(names)
    heads[1].click()
    specs = [int(row.split()[-1]) for row in browser.rows()]
    assert specs == sorted(specs, reverse=True)
    assert len(browser.all("[aria-sort]")) == 1
    heads[1].click()
    assert browser.rows() == first
    assert browser.address() == {}


def test_a_class_counts_the_rows_that_it_would_show(browser: Browser, report: Path) -> None:
    """With each stack and search, as many as there are where the class is pressed."""
    browser.open(report, "#stack=e4s")
    heads = [head.text for head in browser.all("#rows .class")]
    assert heads == [
        "Gone: 1",
        "Upgraded: 7",
        "Reconfigured: 1",
        "With fewer duplicate builds: 1",
        "Only rebuilt: 5",
    ]
    assert browser.script(COUNTING) == []


COUNTING = """
const fields = document.forms[0].elements, wrong = [];
const number = (text) => Number(text.split(": ").at(-1));
const press = () => fields.q.dispatchEvent(new Event("input", { bubbles: true }));
for (const { value } of fields.stack.options) for (const words of ["", "gcc", "1.14"]) {
  [fields.stack.value, fields.q.value] = [value, words];
  press();
  for (const box of document.querySelectorAll("input[name=status]")) {
    const said = number(box.nextElementSibling.querySelector(".count").textContent);
    if (box.closest("label").hidden) continue;
    box.checked = true;
    press();
    const rows = document.querySelectorAll("#rows > tr.row").length;
    if (rows !== said) wrong.push([value, words, box.value, said, rows]);
    box.checked = false;
  }
}
fields.q.value = "";
press();
return wrong;
"""


def test_a_change_unfolds_by_keyboard_into_its_specs(browser: Browser) -> None:
    browser.one("input[name=q]").send_keys("charliecloud")
    Select(browser.one("select[name=stack]")).select_by_visible_text("e4s")
    unfold = browser.one("button.unfold")
    assert unfold.get_attribute("aria-expanded") == "false"
    unfold.send_keys(Keys.ENTER)
    assert unfold.get_attribute("aria-expanded") == "true"
    detail = browser.one("#rows .detail")
    [change] = snapshots_diff(stack=("e4s",), package=("charliecloud",)).tags[0].stacks[0].changes
    for found in (change.old, change.new):
        assert found
        assert found.hash in detail.text
    assert change.new
    assert change.new.compiler in detail.text
    assert " ".join(change.new.variants) in detail.text
    assert "version 0.40 variants ~squashfuse → +squashfuse" in detail.text
    unfold.send_keys(Keys.SPACE)
    assert browser.all("#rows .detail") == []


def test_a_stack_with_numbers_leads_to_its_changes(browser: Browser) -> None:
    browser.one("[data-stack=hep] a").click()
    browser.until(lambda: browser.said().startswith("10 of 24 changed packages, 13 specs"))
    assert browser.address() == {"stack": ["hep"]}
    browser.until(lambda: browser.said().startswith("10 of 24 changed packages, 13 specs"))
    browser.one(".skip").send_keys(Keys.ENTER)
    assert browser.address() == {"stack": ["hep"]}
    assert browser.script("return document.activeElement.id") == "changes"


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_sticks_out_to_the_side(browser: Browser, width: int) -> None:
    metrics = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        browser.script("for (const one of document.querySelectorAll('.unfold')) one.click()")
        assert browser.script("return document.documentElement.scrollWidth") == width
    finally:
        browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_in_both_themes(browser: Browser, scheme: str) -> None:
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    try:
        for selector in (
            ".hint",
            ".badge",
            ".note",
            "td.moves",
            ".class th",
            "tbody .number",
            ".sentence",
            ".attention p",
        ):
            for colour in browser.script(COLOURS.replace("SELECTOR", selector)):
                assert contrast(*colour) >= 4.5, (selector, colour)
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


IN_ADDRESSES = ["entity", "issue", "link", "quotes", "NUL", "line break", "blank"]
"""Values with what has a meaning in an address, or is lost in one."""


@pytest.mark.parametrize(
    ("place", "chosen"),
    nightly_but(
        {
            "stack": ("stack", IN_ADDRESSES),
            "every stack": ("stack", list(VALUES)),
            **{place: (place, []) for place in ("package", "version", "variants")},
        },
        ["stack"],
    ),
)
def test_hostile_values_run_nothing(
    driver: webdriver.Chrome, tmp_path: Path, place: str, chosen: list[str]
) -> None:
    browser = Browser(driver)
    browser.open(_written(tmp_path, rendered(hostile_diff(tmp_path, place))))
    browser.script("for (const one of document.querySelectorAll('.unfold')) one.click()")
    text = browser.script("return document.body.textContent")
    assert [name for name, value in VALUES.items() if shown(value)[:150] not in text] == []
    assert browser.script("return document.scripts.length") == 2
    options = "[...document.forms[0].elements.stack.options]"
    names = browser.script(f"return {options}.map((option) => option.value)")
    for value in (shown(VALUES[name]) for name in chosen):
        browser.all("select[name=stack] option")[names.index(value)].click()
        rows, address = browser.rows(), driver.current_url
        assert rows
        driver.get(address.partition("#")[0] + "#q=nothing+fits")
        browser.until(partial(browser.shows, []))
        driver.get(address)
        browser.until(partial(browser.shows, rows))
    browser.one("input[name=q]").send_keys("zlib" if place == "package" else "gcc")
    browser.assert_quiet()


def test_a_report_of_one_kind_and_one_stack_works(driver: webdriver.Chrome, tmp_path: Path) -> None:
    browser = Browser(driver)
    diff = snapshots_diff(stack=("hep",), kind=("upgraded",), package=("geant4",))
    browser.open(_written(tmp_path, rendered(diff)))
    assert browser.said() == "1 changed package, 2 specs"
    assert len(browser.rows()) == 1
    assert not browser.one("#controls").is_displayed()  # nothing to choose from
    assert not browser.one("button[type=reset]").is_displayed()
    browser.assert_quiet()


def test_products_are_shown_first_and_dependencies_where_asked(
    browser: Browser, environments: Path
) -> None:
    browser.open(environments)
    assert browser.said() == "6 of 10 changed packages, 6 specs"
    assert browser.one("label.check").text == "show 4 dependencies"
    assert not [row for row in browser.rows() if row.startswith("hwloc")]
    assert _sum_of_classes(browser) == 6
    assert browser.address() == {}
    browser.one("input[name=dependencies]").click()
    browser.until(lambda: browser.said() == "10 changed packages, 10 specs")
    assert _sum_of_classes(browser) == 10
    assert [row for row in browser.rows() if row.startswith("hwloc")]
    assert browser.address() == {"dependencies": ["yes"]}
    browser.open(environments, "#dependencies=yes&sort=package")
    assert browser.said() == "10 changed packages, 10 specs"
    assert [row for row in browser.rows() if "dependency" in row and row.startswith("hwloc")]


def test_dependencies_are_shown_where_products_have_no_news(
    driver: webdriver.Chrome, tmp_path: Path
) -> None:
    """What the first sentence names is in the first row."""
    old, new = map(str, write_locks(tmp_path, before(), after()))
    diff = diff_catalogs(load_catalog(old), load_catalog(new))
    browser = Browser(driver)
    browser.open(_written(tmp_path, rendered(diff)))
    assert browser.said() == "10 changed packages, 10 specs"
    heads = [head.text for head in browser.all("#rows .class")]
    assert heads[0].startswith("Dependencies ")
    assert "Only have another hash: 3" in heads
    assert browser.address() == {}


def test_a_package_that_is_a_product_and_a_dependency_counts_once(
    driver: webdriver.Chrome, tmp_path: Path
) -> None:
    """The root of hdf5 rises, and another hdf5, which app needed, is gone."""
    for side, version, below in (("old", "1.14", [Item("hdf5", "1.12")]), ("new", "1.16", [])):
        app = Item("app", needs=tuple(map(needs, below)), explicit=True)
        items = [*below, app, Item("hdf5", version, explicit=True)]
        write_files(tmp_path / side, {"spack.lock": to_bytes(lock(items))})
    sides = (load_catalog(str(tmp_path / side)) for side in ("old", "new"))
    browser = Browser(driver)
    browser.open(_written(tmp_path, rendered(diff_catalogs(*sides))))
    assert browser.said() == "2 changed packages, 2 specs"
    assert browser.one("label.check").text == "show 1 dependency"
    browser.one("input[name=dependencies]").click()
    browser.until(lambda: len(browser.rows()) == 3)
    assert browser.said() == "2 changed packages, 3 specs"
    assert sorted(row.split()[0] for row in browser.rows()) == ["app", "hdf5", "hdf5"]


def test_a_search_that_only_dependencies_fit_says_so(browser: Browser, environments: Path) -> None:
    browser.open(environments, "#q=hwloc+libxml2")
    assert browser.said() == "No package fits"
    assert browser.one("label.check").text == "show 1 dependency"
    browser.one("input[name=dependencies]").click()
    assert [row.split()[0] for row in browser.rows()] == ["hwloc"]
    assert browser.address() == {"q": ["hwloc libxml2"], "dependencies": ["yes"]}
    browser.open(environments, "#q=nothing+fits")
    assert browser.said() == "No package fits"
    assert not browser.one("label.check").is_displayed()
    assert browser.one("button[type=reset]").is_displayed()


def test_links_on_top_lead_to_the_parts_below(browser: Browser, tmp_path: Path) -> None:
    browser.open(_with_products(tmp_path))
    focused = "return document.activeElement.textContent.trim().split('\\n')[0]"
    for link in browser.all("nav a"):
        link.send_keys(Keys.ENTER)
        assert browser.script(focused) == link.text
    assert len(browser.all("nav a")) == 2


def test_a_phone_has_the_stacks_of_a_product_below_its_name(phone: Browser, tmp_path: Path) -> None:
    phone.open(_with_products(tmp_path))
    cells = phone.all("#rows td.cell")[:2]
    lefts = {cell.rect["x"] for cell in cells}
    assert len(lefts) == 1
    before = "return getComputedStyle(document.querySelector('#rows td.cell'), '::before').content"
    assert "east" in phone.script(before)


def _with_products(folder: Path) -> Path:
    """Write a report of four environments, each with one product upgraded and one downgraded."""
    for day, hdf5, json in (("old", "1.0", "2.0"), ("new", "2.0", "1.0")):
        roots = [Item("hdf5", hdf5, explicit=True), Item("json", json, explicit=True)]
        text = to_bytes(lock(roots))
        names = ("east", "north", "south", "west")
        write_files(folder / day, {f"{name}/spack.lock": text for name in names})
    sides = (load_catalog(str(folder / day)) for day in ("old", "new"))
    return _written(folder, rendered(diff_catalogs(*sides)))


def _sum_of_classes(browser: Browser) -> int:
    """The numbers of the classes that there are, which add up to the packages."""
    return sum(int(it.text) for it in browser.all(".classes .count") if it.is_displayed())


def test_without_scripts_a_reader_sees_every_package_and_its_specs(
    driver: webdriver.Chrome, report: Path, snapshots: CatalogDiff
) -> None:
    browser = Browser(driver)
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.open(report)
        rows = [row.text for row in browser.all("#rows > tr.row")]
        assert len(rows) == 24
        assert "".join(rows[0].split()) == "pruners-ninja−1.0.1gone(e4s,e4s-neoverse-v2)2"
        assert not browser.one("#controls").is_displayed()
        assert not [it for it in browser.all("button") if it.is_displayed()]
        unfold = browser.all("#rows details > summary")
        assert len(unfold) == 24
        assert unfold[0].text == "2 specs of pruners-ninja"
        unfold[0].send_keys(Keys.ENTER)
        [gone] = next(it for it in snapshots.tags if it.status == "changed").packages.removed
        hashes = {
            change.old.hash
            for tag in snapshots.tags
            for stack in tag.stacks
            for change in stack.changes
            if change.old and change.package == gone
        }
        seen = {code.text for code in browser.all("#rows .hashes code") if code.is_displayed()}
        assert seen == hashes
        links = [link.get_attribute("href") for link in browser.all("#rows .package a")]
        assert len(links) == 24
    finally:
        driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_a_screen_reader_hears_what_each_cell_and_control_is(
    browser: Browser, tmp_path: Path
) -> None:
    browser.open(_with_products(tmp_path))
    heard = _heard(browser)
    assert {"Package", "east", "north", "south", "west", "Specs"} <= heard["columnheader"]
    assert {"hdf5", "json"} <= heard["rowheader"]
    assert "Search" in heard["searchbox"]
    assert "Environment" in heard["combobox"]
    assert heard["checkbox"] == {"1 downgraded", "1 upgraded to another major version"}
    assert heard["button"] == {"hdf5", "json", "Package", "Specs"}
    assert heard["group"] == {"What happened at worst"}
    assert heard["search"] == {"Narrow the changes"}
    assert {"Downgraded: 1", "Upgraded to another major version: 1"} <= heard["columnheader"]


def _heard(browser: Browser) -> dict[str, set[str]]:
    """The names of what is on a page, by role, as a screen reader is told of them."""
    nodes = browser.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    heard: dict[str, set[str]] = {}
    for node in nodes:
        if not node["ignored"]:
            name = " ".join(node.get("name", {}).get("value", "").split())
            heard.setdefault(node["role"]["value"], set()).add(name)
    return heard


def test_all_controls_are_reached_by_keyboard(browser: Browser) -> None:
    active = "const at = document.activeElement; return at.name || at.textContent.trim()"
    browser.one("input[value=gone]").send_keys(Keys.SPACE)
    assert browser.said().startswith("1 of 24 changed packages")
    reached = []
    for _ in range(40):
        browser.driver.switch_to.active_element.send_keys(Keys.TAB)
        reached.append(browser.script(active))
    order = ["Reset", "Package", "Specs", "pruners-ninja"]
    assert [name for name in reached if name in order][: len(order)] == order


def test_of_a_chosen_stack_only_its_column_and_its_lines_are_shown(
    browser: Browser, tmp_path: Path, report: Path
) -> None:
    browser.open(_with_products(tmp_path), "#stack=north")
    heads = [head.text for head in browser.all(".changes thead th") if head.is_displayed()]
    assert heads == ["Package", "north", "Specs"]
    assert browser.rows() == ["json 2.0 → 1.0 1", "hdf5 1.0 → 2.0 1"]
    browser.one("button.unfold").click()
    assert browser.one("#rows .detail td").rect["width"] == browser.one("#rows").rect["width"]
    browser.one("select[name=stack]").send_keys("all")
    assert browser.rows()[0] == "json 2.0 → 1.0 2.0 → 1.0 2.0 → 1.0 2.0 → 1.0 1"
    browser.open(report, "#stack=data-vis-sdk&q=hdf5")
    assert browser.rows()[0] == "hdf5 ≠ 1.14.5 reconfigured (data-vis-sdk) 1"


def test_below_a_product_are_its_specs_where_it_is_a_dependency(
    browser: Browser, tmp_path: Path
) -> None:
    """The cells tell of environments that have it as a dependency, too."""
    for day, version in (("old", "1.0"), ("new", "2.0")):
        tool, other = Item("tool", version, explicit=True), Item("tool", version, target="zen4")
        app = Item("app", explicit=True, needs=(needs(other),))
        locks = {"asked": lock([tool]), "needed": lock([other, app])}
        texts = {f"{name}/spack.lock": to_bytes(one) for name, one in locks.items()}
        write_files(tmp_path / day, texts)
    sides = (load_catalog(str(tmp_path / day)) for day in ("old", "new"))
    browser.open(_written(tmp_path, rendered(diff_catalogs(*sides))), "#q=tool")
    [row] = (it for it in browser.rows() if it.startswith("tool"))
    assert row == "tool ↑ 1.0 → 2.0 (asked) ↑ 1.0 → 2.0, as a dependency, in needed 2"
    browser.one("button.unfold").click()
    below = browser.one("#rows .detail").text
    assert ("asked" in below, "needed" in below) == (True, True)
    browser.one("select[name=stack]").send_keys("asked")
    browser.one("button.unfold").click()
    assert "needed" not in browser.one("#rows .detail").text


def test_what_the_address_says_is_text(browser: Browser, report: Path) -> None:
    browser.open(report, "#q=%3Cimg+src%3Dx+onerror%3Dalert(1)%3E&stack=%3Cscript%3E")
    assert browser.said() == "No package fits"
    assert browser.all("img") == []


@pytest.mark.nightly
def test_twenty_thousand_changes_open_and_filter_without_a_wait(
    driver: webdriver.Chrome, tmp_path: Path
) -> None:
    browser = Browser(driver)
    browser.open(_written(tmp_path, rendered(large_diff(2_000))))
    tenth = browser.script(FILTERING)
    browser.open(_written(tmp_path, rendered(large_diff(20_000))))
    assert browser.said() == "20,000 changed packages, 20,000 specs"
    assert len(browser.rows()) == 150
    milliseconds = browser.script(FILTERING)
    assert max(milliseconds.values()) < 40 * max(tenth.values()), (milliseconds, tenth)
    assert browser.said().startswith("20,000 changed packages")
    browser.one("#more").click()
    assert len(browser.rows()) == 1_150
    assert "1,150 of 20,000 are shown." in browser.one("#rest").text
    assert browser.driver.switch_to.active_element == browser.all("button.unfold")[150]
    browser.assert_quiet()


FILTERING = """
const form = document.forms[0], took = {};
for (const [name, value] of [["q", "option77"], ["q", "gcc"], ["q", "-12"], ["q", ""],
                             ["stack", "stack-3"], ["stack", ""]]) {
  const before = performance.now();
  form.elements[name].value = value;
  form.dispatchEvent(new Event("input", { bubbles: true }));
  document.body.offsetHeight;
  took[`${name} ${value}`] = performance.now() - before;
}
return took;
"""


def test_a_bar_filters_the_rows_and_a_row_unfolds_its_cause(
    driver: webdriver.Chrome, tmp_path: Path
) -> None:
    old, new = map(str, write_locks(tmp_path, before(), after()))
    browser = Browser(driver)
    text = render_report(diff_catalogs(load_catalog(old), load_catalog(new)), "html")
    browser.open(_written(tmp_path, text))
    bar = next(link for link in browser.all(".causes a") if link.text.startswith("cmake"))
    bar.click()
    browser.until(lambda: browser.said() == "1 of 10 changed packages, 1 spec")
    cause = "cmake 3.26.3 → 3.27.7 (build only)"
    assert browser.address() == {"q": [f'"{cause}"']}
    [row] = browser.rows()
    assert row.startswith("json = 3.11.2 with another hash")
    browser.one("button.unfold").click()
    assert browser.one("tr.detail .because").text == (
        "because of cmake 3.26.3 → 3.27.7 (build only); link and run dependencies unchanged"
    )
    assert browser.one("input[name=q]").get_property("value") == f'"{cause}"'
    next(link for link in browser.all(".causes a") if link.text.startswith("zlib")).click()
    browser.until(lambda: browser.rows()[0].startswith("hdf5"))
    browser.assert_quiet()


def test_a_cause_leads_to_the_specs_that_it_counts(
    driver: webdriver.Chrome, tmp_path: Path
) -> None:
    """One hdf5 was rebuilt because of zlib, another one because of cmake."""
    sides = []
    for versions in (("1.2", "3.26"), ("1.3", "3.27")):
        zlib, cmake = (Item(name, it) for name, it in zip(("zlib", "cmake"), versions, strict=True))
        roots = [
            Item("hdf5", "1.14", explicit=True, needs=(needs(zlib),)),
            Item("hdf5", "1.12", explicit=True, needs=(needs(cmake),)),
            Item("json", "3.11", explicit=True, needs=(needs(cmake),)),
        ]
        sides.append([zlib, cmake, *roots])
    old, new = map(str, write_locks(tmp_path, *sides))
    browser = Browser(driver)
    browser.open(_written(tmp_path, rendered(diff_catalogs(load_catalog(old), load_catalog(new)))))
    numbers = [row.text.split("\n") for row in browser.all(".causes tbody tr")]
    assert [(row[0], row[-1]) for row in numbers] == [
        ("cmake 3.26 → 3.27", "2"),
        ("zlib 1.2 → 1.3", "1"),
    ]
    browser.all(".causes a")[1].click()
    browser.until(lambda: browser.said() == "1 of 4 changed packages, 1 spec")
    browser.one("button.unfold").click()
    assert "1.14" in browser.one("#rows .detail").text
    assert "1.12" not in browser.one("#rows .detail").text
    browser.all(".causes a")[0].click()
    browser.until(lambda: browser.said() == "2 of 4 changed packages, 2 specs")


def test_a_spec_below_two_rows_is_counted_once(driver: webdriver.Chrome, tmp_path: Path) -> None:
    """The build that was the root is gone, and another one is the root in its place, upgraded."""
    other, tool = Item("tool", "0.9", compiler=("gcc", "14.1.0")), Item("tool", "1.0")
    user = Item("user", explicit=True, needs=(needs(other),))
    app = Item("app", explicit=True, needs=(needs(tool),))
    old, new = write_locks(
        tmp_path,
        [replace(tool, version="2.0", explicit=True), tool, other, user, app],
        [replace(tool, version="1.5", explicit=True), other, user],
    )
    assert run_cli(old, new, "-o", tmp_path / "report.html", "-q").status == 0
    [stack] = run_json(old, new)["tags"][0]["stacks"]
    assert len([it for it in stack["changes"] if it["package"] == "tool"]) == 2
    page = Browser(driver)
    page.open(tmp_path / "report.html", "#dependencies=yes")
    assert len(page.rows()) == 3
    assert page.said() == "2 changed packages, 3 specs"
