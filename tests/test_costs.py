"""A page that is four times as large costs about four times as much, whatever its shape."""

import pytest

from tests.fuzz.costs import check_shape
from tests.fuzz.shapes import SHAPES
from tests.support.nightly import nightly_but

pytestmark = pytest.mark.slow

ONE_A_STEP = (
    "lists in lists",  # a page is read as YAML
    "versions",  # specs are paired: by version,
    "configurations",  # by configuration
    "stacks of one spec",  # stacks are counted
    "characters of a version",  # a report is written
)


@pytest.mark.parametrize("name", nightly_but(list(SHAPES), ONE_A_STEP))
def test_four_times_the_size_costs_no_more_than_about_four_times(name: str) -> None:
    check_shape(SHAPES[name])
