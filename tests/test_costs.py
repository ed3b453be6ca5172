"""Twice as large a page costs about twice as much, whatever its shape: time and memory."""

import pytest

from tests.fuzz.costs import check_shape
from tests.fuzz.shapes import SHAPES

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", SHAPES)
def test_twice_the_size_costs_no_more_than_about_twice(name: str) -> None:
    check_shape(SHAPES[name])
