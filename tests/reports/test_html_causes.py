"""Causes in the HTML report and in CSV: bars that filter, rows that say why, columns."""

import csv
import io
import shutil
from pathlib import Path

import pytest
from selenium.webdriver.support.select import Select

from snapdiff import CatalogDiff, diff_catalogs, load_catalog, render_report
from tests.support.browser import Browser, started
from tests.support.environments import after, before, write_locks

CHROMIUM, CHROMEDRIVER = shutil.which("chromium"), shutil.which("chromedriver")


@pytest.fixture
def diff(tmp_path: Path) -> CatalogDiff:
    old, new = map(str, write_locks(tmp_path, before(), after()))
    return diff_catalogs(load_catalog(old), load_catalog(new))


def test_without_scripts_there_are_bars_and_each_spec_says_why(diff: CatalogDiff) -> None:
    text = render_report(diff, "html")
    assert "Why 6 specs were rebuilt" in text
    assert '<rect class="cause" width="100.00%"' in text
    assert '<rect class="cause" width="25.00%"' in text
    assert (
        "because of autoconf 2.69 → 2.71 via openmpi &gt; numactl &gt; automake (build only); "
        "link and run dependencies unchanged" in text
    )


def test_a_report_without_causes_offers_no_filter_for_them(tmp_path: Path) -> None:
    old, new = map(str, write_locks(tmp_path, before()[:1], after()[:1]))
    text = render_report(diff_catalogs(load_catalog(old), load_catalog(new)), "html")
    assert "<label hidden>Because of" in text
    assert "rebuilt</h3>" not in text


@pytest.mark.slow
@pytest.mark.skipif(not CHROMIUM or not CHROMEDRIVER, reason="needs chromium and chromedriver")
def test_a_bar_filters_the_rows_and_a_row_unfolds_its_cause(
    diff: CatalogDiff, tmp_path: Path
) -> None:
    report = tmp_path / "report.html"
    report.write_text(render_report(diff, "html"), encoding="utf-8")
    assert CHROMIUM
    assert CHROMEDRIVER
    with started(CHROMIUM, CHROMEDRIVER) as driver:
        browser = Browser(driver)
        browser.open(report)
        assert browser.said() == "10 rows, 10 specs"
        bar = next(link for link in browser.all(".causes a") if link.text.startswith("cmake"))
        bar.click()
        browser.until(lambda: browser.said() == "1 of 10 rows, 1 spec")
        assert browser.address() == {"cause": ["cmake 3.26.3 → 3.27.7 (build only)"]}
        [row] = browser.rows()
        assert row.startswith("json = rebuilt")
        browser.one("button.unfold").click()
        assert browser.one("tr.detail .because").text == (
            "because of cmake 3.26.3 → 3.27.7 (build only); link and run dependencies unchanged"
        )
        chosen = Select(browser.one("select[name=cause]"))
        assert chosen.first_selected_option.text == "cmake 3.26.3 → 3.27.7 (build only)"
        next(link for link in browser.all(".causes a") if link.text.startswith("zlib")).click()
        browser.until(lambda: browser.rows()[0].startswith("hdf5"))
        browser.assert_quiet()


def test_csv_has_a_column_for_each_part_of_a_cause(diff: CatalogDiff) -> None:
    rows = {row["package"]: row for row in csv.DictReader(io.StringIO(render_report(diff, "csv")))}
    netcdf = {name: text for name, text in rows["netcdf"].items() if "cause" in name}
    assert netcdf == {
        "cause_package": "autoconf",
        "cause": "version",
        "cause_old": "2.69",
        "cause_new": "2.71",
        "cause_path": "openmpi > numactl > automake",
        "cause_build_only": "yes",
        "cause_others": "0",
    }
    assert (rows["netcdf"]["same_to_use"], rows["hdf5"]["same_to_use"]) == ("yes", "")
    assert rows["hdf5"]["cause_others"] == "1"
    assert rows["cmake"]["cause"] == ""
