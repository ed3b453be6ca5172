"""Every file of the fuzz corpus, and a short run of each target: a result or a SnapdiffError."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.mutations import CORPUS, corpus_of, damaged
from tests.fuzz.targets import TARGETS
from tests.support.nightly import examples
from tests.support.work import seconds, yardstick

pytestmark = pytest.mark.slow

FILES = [(name, file.name) for name in TARGETS for file in sorted((CORPUS / name).iterdir())]


@pytest.mark.parametrize(("name", "file"), FILES)
def test_a_file_of_the_corpus_gives_a_result_or_an_error(name: str, file: str) -> None:
    content = (CORPUS / name / file).read_bytes()
    # A hundred times what the slowest takes; what once hung took minutes.
    assert seconds(lambda: TARGETS[name].check(content)) < 6000 * yardstick()


def test_every_target_has_a_corpus() -> None:
    assert {folder.name for folder in CORPUS.iterdir()} == set(TARGETS)


@pytest.mark.parametrize("name", TARGETS)
def test_damaged_input_gives_a_result_or_an_error(name: str) -> None:
    target = TARGETS[name]

    @settings(max_examples=examples(10))
    @given(data=st.data())
    def knock(data: st.DataObject) -> None:
        target.check(data.draw(damaged(corpus_of(name), target.words)))

    knock()
