"""Spack's version order (specification, section 5): as a table, as laws, and against the oracle."""

from itertools import pairwise, takewhile

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from snapdiff.spack import parse_version
from tests.support import oracle

SHA = "0123456789abcdef0123456789abcdef01234567"

LOWER_FIRST = [
    # Integers compare as integers.
    ("1.2", "1.3"),
    ("1.9", "1.10"),
    ("9", "10"),
    ("2", "1000000000000000000000000"),
    ("1.2.9", "1.3"),
    ("2023.10.12", "2023.11.1"),
    ("20240101", "20250101"),
    ("1.09", "1.10"),
    ("6.3.3", "6.4.1"),
    # A proper prefix is smaller.
    ("1", "1.0"),
    ("1.2", "1.2.0"),
    ("1.2.0", "1.2.0.0"),
    ("1.2", "1.2a"),
    ("1.2", "1.2.1"),
    ("11.3", "11.3.develop"),
    # A plain string is lower than an integer.
    ("1.a", "1.0"),
    ("a", "0"),
    ("1.2b", "1.2.0"),
    ("1.2b", "1.2.3"),
    ("zzz", "1"),
    ("r2024", "2024"),
    ("1.sp1", "1.1"),
    # Strings compare by code point.
    ("1.a", "1.b"),
    ("1.Z", "1.a"),
    ("1.ab", "1.b"),
    ("1.1.1a", "1.1.1w"),
    ("2024a", "2024b"),
    ("1.p1", "1.p2"),
    ("1.p9", "1.p10"),
    ("9b", "9d"),
    ("1.Stable", "1.stable"),
    # Infinity words rank above integers, in an order of their own.
    ("999", "stable"),
    ("stable", "nightly"),
    ("nightly", "trunk"),
    ("trunk", "head"),
    ("head", "master"),
    ("master", "main"),
    ("main", "develop"),
    ("9999999999", "develop"),
    ("1.2.develop", "1.3"),
    ("1.2.9", "1.2.develop"),
    ("1.develop", "2"),
    ("5.0.stable", "5.0.main"),
    ("2025.1", "main"),
    # Only a whole token in lower case is one.
    ("Develop", "0"),
    ("developer", "0"),
    ("mainline", "main"),
    ("heads", "stable"),
    ("1.Main", "1.0"),
    # ...and it may be followed by more.
    ("develop", "develop-2025-03-23"),
    ("develop-2025-03-23", "develop-2025-03-30"),
    ("main", "main.1"),
    ("main.99", "develop"),
    # A pre-release comes before its release.
    ("6.0rc1", "6.0"),
    ("6rc1", "6"),
    ("6.0-rc1", "6.0"),
    ("6.0_beta2", "6.0"),
    ("6.0alpha", "6.0"),
    ("2.0.0-rc4", "2.0.0"),
    ("1.rc", "1"),
    ("5.2.0.beta.1", "5.2.0"),
    ("6.0alpha1", "6.0beta1"),
    ("6.0alpha9", "6.0beta1"),
    ("6.0beta9", "6.0rc1"),
    ("6.0alpha", "6.0alpha1"),
    ("6.0rc", "6.0rc0"),
    ("6.0rc1", "6.0rc2"),
    ("6.0rc9", "6.0rc10"),
    ("6.0alpha9", "6.0rc"),
    # It is looked at only where the rest is equal.
    ("1.2", "1.2.0alpha"),
    ("1.2", "1.2.0rc1"),
    ("5.9", "6.0rc1"),
    ("6.0", "6.1alpha1"),
    ("6.0rc9", "6.0.1alpha"),
    ("1.2rc1", "1.2.0rc1"),
    ("1.2", "1.2.0alpha1"),
    # It stands at the end, is a whole token, and takes three tokens where it has a number.
    ("1.rc1.5", "1.0"),
    ("1.2.0rc1", "1.2.0rc1.1"),
    ("1.2rca", "1.2.0"),
    ("1.2", "1.2rca"),
    ("1.2RC1", "1.2.0"),
    ("1.2", "1.2RC1"),
    ("1.2", "1.2pre1"),
    ("rc", "rc1"),
    ("rc1", "rc2"),
    ("alpha", "rc1"),
    ("rc1", "1"),
    ("beta.2", "beta.10"),
    # A version that a git reference goes by comes right after the plain one.
    ("1.2", "git.main=1.2"),
    ("git.main=1.2", "1.2.0"),
    ("git.main=1.2", "1.3"),
    ("1.1", "git.v1.2=1.2"),
    ("git.a=1.2", "git.b=1.2"),
    ("git.zzz=1.2", "git.aaa=1.3"),
    ("1.2", f"{SHA}=1.2"),
    (f"{SHA}=1.2", "1.2.0"),
    (f"{SHA}=1.2", f"{SHA}=1.2.0"),
    (f"git.{SHA}=1.2rc1", "1.2"),
    ("1.2rc1", f"git.{SHA}=1.2rc1"),
    ("git.feature/x=1.9", "git.feature/x=1.10"),
    ("999", "git.main=develop"),
    # Other text before the sign is no git reference.
    ("abc=1.2", "1.2"),
]

EQUAL = [
    ("1.2", "1.2"),
    ("10.0001", "10.1"),
    ("01.2", "1.2"),
    ("1.02.003", "1.2.3"),
    ("0", "000"),
    ("1.2", "1-2"),
    ("1.2", "1_2"),
    ("1.2", "1..2"),
    ("1.2", "1.2."),
    ("1.2a", "1.2-a"),
    ("1a2", "1.a.2"),
    ("6.0rc1", "6.0-rc1"),
    ("6.0rc1", "6.0.rc.1"),
    ("6.0rc01", "6.0rc1"),
    ("develop-2025-03-23", "develop.2025.3.23"),
    ("git.main=1.2", "git.main=1-2"),
    (f"{SHA}=1.2", f"git.{SHA}=1.2"),
]


@pytest.mark.parametrize(("low", "high"), LOWER_FIRST)
def test_the_first_version_is_lower_than_the_second(low: str, high: str) -> None:
    assert parse_version(low) < parse_version(high)
    assert not parse_version(high) < parse_version(low)
    assert parse_version(low) != parse_version(high)
    assert oracle.compare_versions(low, high) == -1


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_the_two_versions_are_the_same(one: str, other: str) -> None:
    assert parse_version(one) == parse_version(other)
    assert hash(parse_version(one)) == hash(parse_version(other))
    assert oracle.compare_versions(one, other) == 0


LADDER = """
    Develop a rc rc1 0 1.rc 1 1.a 1.0rc 1.0rc1 1.0 1.0.a 1.0.0 1.2alpha 1.2alpha1 1.2beta1 1.2rc1
    1.2 git.main=1.2 git.next=1.2 1.2a 1.2.0alpha 1.2.0 1.2.1 1.2.develop 1.9 1.10 2 10 2025.1
    stable nightly trunk head master main develop develop-2025-03-23
"""


def test_a_list_of_versions_sorts_the_same_from_any_order() -> None:
    ladder = LADDER.split()
    assert sorted(ladder, key=parse_version) == ladder
    assert sorted(sorted(ladder), key=parse_version) == ladder
    assert all(parse_version(low) < parse_version(high) for low, high in pairwise(ladder))


@pytest.mark.parametrize(
    ("one", "other", "common"),
    [
        ("1.2.3", "1.2.4", 2),
        ("1.2.3", "1.2.3", 3),
        ("1.2", "1.2.0", 2),
        ("1.2", "2.2", 0),
        ("1.02", "1.2-4", 2),
        ("6.0rc1", "6.0rc2", 2),
        ("6.0rc1", "6.0", 2),
        ("git.main=1.2", "1.2", 2),
        ("git.main=1.2", "git.main=3", 0),
        ("develop", "develop-2025", 1),
        ("1.a", "1.b", 1),
    ],
)
def test_leading_tokens_in_common_are_those_of_the_release_part(
    one: str, other: str, common: int
) -> None:
    assert leading_tokens_in_common(one, other) == common
    assert oracle.leading_tokens_in_common(one, other) == common


def leading_tokens_in_common(one: str, other: str) -> int:
    pairs = zip(parse_version(one).release, parse_version(other).release, strict=False)
    return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))


TOKENS = st.one_of(
    st.sampled_from(["0", "1", "2", "01", "10", "a", "b", "rc", "alpha", "beta", "RC", "p"]),
    st.sampled_from(["stable", "nightly", "trunk", "head", "master", "main", "develop"]),
    st.text("0123456789", min_size=1, max_size=30),
    st.text("abcRZ", min_size=1, max_size=3),
)
PLAIN = st.builds(
    lambda tokens, separators: "".join(
        token + separator for token, separator in zip(tokens, separators, strict=True)
    ).strip(".-_"),
    st.lists(TOKENS, min_size=5, max_size=5),
    st.lists(st.sampled_from([".", "-", "_", "", "."]), min_size=5, max_size=5),
)
SHORT = st.builds(".".join, st.lists(TOKENS, min_size=1, max_size=4))
SPECIFIED = st.one_of(
    PLAIN,
    SHORT,
    st.builds("{}={}".format, st.sampled_from(["git.main", "git.v1", SHA]), SHORT),
    st.text("0123456789abcdefghijklmnopqrstuvwxyzABCXYZ._-", max_size=12),
)
VERSIONS = st.one_of(SPECIFIED, st.builds("word={}".format, SHORT))
"""Also what the specification says nothing of; it has some order."""


@given(SPECIFIED, SPECIFIED)
@example("", "0")
@example("9" * 5000, "1" + "0" * 5000)
def test_any_two_versions_compare_as_the_oracle_says(one: str, other: str) -> None:
    mine, theirs = parse_version(one), parse_version(other)
    assert (mine > theirs) - (mine < theirs) == oracle.compare_versions(one, other)
    assert leading_tokens_in_common(one, other) == oracle.leading_tokens_in_common(one, other)


@given(VERSIONS, VERSIONS)
def test_of_two_versions_exactly_one_is_lower_unless_they_are_the_same(
    one: str, other: str
) -> None:
    mine, theirs = parse_version(one), parse_version(other)
    assert [mine < theirs, mine == theirs, mine > theirs].count(True) == 1
    assert (mine < theirs) == (theirs > mine)


@given(st.lists(VERSIONS, min_size=3, max_size=8))
def test_the_order_is_transitive(texts: list[str]) -> None:
    versions = sorted(map(parse_version, texts))
    for position, low in enumerate(versions):
        assert all(low <= high for high in versions[position:])


@given(SHORT, SHORT)
def test_how_tokens_are_separated_makes_no_difference(one: str, other: str) -> None:
    assert parse_version(one) == parse_version(one.replace(".", "_"))
    assert (parse_version(one) < parse_version(other)) == (
        parse_version(one.replace(".", "-")) < parse_version(other)
    )
