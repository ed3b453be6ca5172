"""What a step of versions is: another major version, or another scheme."""

import pytest

from snapdiff.reports.moves.statuses import is_date, step_of


@pytest.mark.parametrize(
    ("old", "new", "major"),
    [
        ("1.9", "2.0", True),
        ("1.9", "1.10", False),
        ("2023.11.05", "2024.05.31", False),
        ("20230802", "20240829", False),
        ("23.08", "24.05", False),
        ("22.9.29", "23.8.2", False),
        ("20.1.2", "21.1.0", True),
        ("12.2.0", "13.1.0", True),
        ("2.0", "1.0", False),
        ("v1.9", "v2.0", True),
        ("v1.9", "v1.10", False),
        ("24.1", "25.1", False),
        ("24.3", "25.1", False),
        ("18.08.9", "19.05.2", False),
        ("17-11-9-2", "18-08-0-1", False),
        ("16.04", "18.04", False),
        ("2212", "2306", False),
        ("230802", "240829", False),
        ("r20230802", "r20240829", False),
        ("v2023.1", "v2024.2", False),
        ("1213", "1313", True),
        ("1812", "1912", False),
        ("2213", "2399", True),
        ("17.12", "18.13", True),
        ("x23.08", "x24.08", True),
        ("31.13", "32.0", True),
    ],
)
def test_a_calendar_version_is_never_another_major_version(old: str, new: str, major: bool) -> None:
    assert (step_of((old,), (new,)) == "major") is major


@pytest.mark.parametrize(
    ("old", "new", "step"),
    [
        ("20180129", "0.11.0", "scheme"),
        ("r0.1", "2023.08.25", "scheme"),
        ("2022.10.14", "2023.1.1", ""),
        ("1.2", "1.3", ""),
        ("develop", "0.2.1", "scheme"),
        ("master", "2023.08.25", "scheme"),
        ("0.2.1", "main", "scheme"),
        ("master", "develop", ""),
        ("develop-2024", "develop", ""),
    ],
)
def test_a_date_or_a_branch_on_one_side_is_no_loss(old: str, new: str, step: str) -> None:
    assert step_of((old,), (new,)) == step


def test_a_version_that_stays_hides_a_major_step() -> None:
    assert step_of((), ("2.0",), ("1.0",)) == "major"
    assert step_of(("1.0",), ("2.0",), ("3.0",)) == ""


@pytest.mark.parametrize("version", ["1", "develop", "", "19", "19991", "1979", "2100"])
def test_what_is_no_date(version: str) -> None:
    assert not is_date(version)


@pytest.mark.parametrize("version", ["1999x", "1980", "2099", "202308", "20230802", "2020-05-14"])
def test_what_is_a_date(version: str) -> None:
    assert is_date(version)
