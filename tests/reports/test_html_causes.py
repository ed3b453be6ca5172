"""Causes in the HTML report and in CSV: bars that filter, rows that say why, columns."""

import csv
import io
import json
import re
from pathlib import Path

import pytest

from snapdiff import CatalogDiff, diff_catalogs, load_catalog, render_report
from tests.support.environments import after, before, write_locks
from tests.support.real_catalogs import e4s_report, needs_real_catalogs


@pytest.fixture
def diff(tmp_path: Path) -> CatalogDiff:
    old, new = map(str, write_locks(tmp_path, before(), after()))
    return diff_catalogs(load_catalog(old), load_catalog(new))


def test_without_scripts_there_are_bars_and_each_spec_says_why(diff: CatalogDiff) -> None:
    text = render_report(diff, "html")
    assert "Why 6 builds have another hash" in text
    assert re.findall('<rect class="bar rebuilt" width="([0-9]+)"', text) == ["4", "1", "1"]
    assert text.count('viewBox="0 0 4 12"') == 3
    assert (
        "because of autoconf 2.69 → 2.71 via openmpi &gt; numactl &gt; automake (build only); "
        "link and run dependencies unchanged" in text
    )


def test_a_report_without_causes_offers_no_filter_for_them(tmp_path: Path) -> None:
    old, new = map(str, write_locks(tmp_path, before()[:1], after()[:1]))
    text = render_report(diff_catalogs(load_catalog(old), load_catalog(new)), "html")
    assert 'data-cause="' not in text  # of which the script makes filters
    assert "another hash</h3>" not in text


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


@needs_real_catalogs
@pytest.mark.slow
def test_the_bar_of_a_cause_is_as_long_as_there_are_specs_that_name_it() -> None:
    """Of E4S, where one spec may have another cause in another environment."""
    text = e4s_report("html")
    data = json.loads(text.partition('id="data">')[2].partition("</script>")[0])
    bars = re.findall('data-cause="([^"]*)".*?<td class="size">([0-9,]*)</td>', text, re.DOTALL)
    specs: dict[str, set[tuple[str, ...]]] = {}
    for row in data["rows"]:
        for _, _, _, cause, _, pairs in row[9]:
            if cause >= 0:
                specs.setdefault(data["causes"][cause], set()).update(
                    (row[1], *pair[:-1]) for pair in pairs
                )
    assert len(bars) == 12
    assert {words: int(number.replace(",", "")) for words, number in bars} == {
        words: len(specs[words]) for words, _ in bars
    }
