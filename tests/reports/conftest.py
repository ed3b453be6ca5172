"""One Chromium for all reports: it takes two seconds to start."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.browser import webdriver


@pytest.fixture(scope="session")
def driver() -> Iterator["webdriver.Chrome"]:
    from tests.support.browser import started  # skips the tests that ask for it where it is missing

    with started() as chromium:
        yield chromium
