"""Sets of stacks have the shortest names, and are listed in full once."""

import pytest

from snapdiff.reports.moves.places import Place, Places, sets_in
from tests.support.work import work

E4S = ["cuda-aarch64", "cuda-ppc64le", "cuda-x86_64", "oneapi-x86_64", "rocm-x86_64"]


@pytest.mark.parametrize(
    ("stacks", "before", "names"),
    [
        (E4S, "all 5", ()),
        (E4S[:3], "the 3", ("cuda-*",)),
        (E4S[:1] + E4S[1:3] + E4S[4:], "all but", ("oneapi-x86_64",)),
        (E4S[2:], "the 3", ("*-x86_64",)),
        (E4S[:2], "", ("cuda-aarch64", "cuda-ppc64le")),
        (E4S[3:4], "", ("oneapi-x86_64",)),
        ([E4S[4], E4S[0]], "", ("cuda-aarch64", "rocm-x86_64")),
    ],
)
def test_a_set_of_stacks_has_the_shortest_name(
    stacks: list[str], before: str, names: tuple[str, ...]
) -> None:
    assert Places(dict.fromkeys(E4S, "changed")).place(stacks) == Place(before, names)


def test_all_but_some_is_a_glob_where_there_is_one() -> None:
    ppc = ["ppc64-cpu", "ppc64-gpu", "ppc64-x"]
    every = [*(f"ml-{it}" for it in "abcde"), "hep", "radiuss", "tutorial", "data-vis", *ppc]
    places = Places(dict.fromkeys(every, "changed"))
    assert places.place(every[:-3]) == Place("all but", ("ppc64-*",))
    assert places.place([it for it in every if it != "hep"]) == Place("all but", ("hep",))


def test_of_the_only_stack_nothing_is_said() -> None:
    assert Places({"science": "changed"}).place(["science"]) == Place("", ())


def test_many_stacks_that_came_or_went_need_no_names_again() -> None:
    whole = {"removed": "abcd", "added": "efg", "changed": "hijklmnopq"}
    places = Places({name: status for status, names in whole.items() for name in names})
    for some, expected in (
        ("abcd", Place("the 4 removed", ())),
        ("abc", Place("", ("a", "b", "c"))),
        ("efg", Place("", ("e", "f", "g"))),  # so few are named
        ("efghijklmnopq", Place("all but the 4 removed", ())),
        ("abcdefghijklmnopq", Place("all 17, 4 of them removed, 3 of them added", ())),
    ):
        assert places.place(some) == expected


def test_a_set_is_listed_by_its_own_letters() -> None:
    listed = {"set A": ("a",), "set AA": ("b",), "all 5": ("c",)}
    for text, named in (
        ("in 14, set AA; in all 5", ["set AA", "all 5"]),
        ("in all but one", ["all 5"]),
        ("in all 55; set AB", []),
    ):
        assert [name for name, _ in sets_in(listed, text)] == named


def test_all_stacks_are_listed_where_they_are_neither_few_nor_many() -> None:
    for number, is_listed in ((3, False), (4, True), (20, True), (21, False)):
        names = [f"{it:02}" for it in range(number)]
        expected = {f"all {number}": tuple(names)} if is_listed else {}
        assert Places(dict.fromkeys(names[::-1], "changed")).named_sets([]) == expected


def test_a_long_set_that_is_used_again_gets_a_letter_and_is_listed_once() -> None:
    every = [f"{letter}{letter}" for letter in "abcdefghijkl"]
    places = Places(dict.fromkeys(every, "changed"))
    often, once = places.place(every[:5]), places.place(every[3:9])
    named = {"all 12": tuple(every), "set A": tuple(every[:5])}
    assert places.named_sets([often, once, often]) == named
    assert often.letter == "A"
    assert once.names == tuple(every[3:9])


def test_more_sets_than_letters_have_two_letters() -> None:
    every = [f"{first}{second}" for first in "abcdef" for second in "uvwxyz"]
    places = Places(dict.fromkeys(every, "changed"))
    used = [places.place([*every[:3], every[-1], every[-2], it]) for it in every[4:32]]
    assert list(places.named_sets(used * 2))[24:] == ["set Y", "set Z", "set AA", "set AB"]


@pytest.mark.parametrize(
    ("stacks", "short"),
    [
        ("e4s hep ml-cpu ml-cuda ml-rocm", ("e4s", "hep", "ml-*")),
        ("e4s hep ml-cpu ml-cuda", ()),  # not all of them
        ("hep ml-cpu ml-cuda ml-rocm", ("hep", "ml-*")),
    ],
)
def test_of_many_names_a_glob_stands_for_all_that_it_matches(
    stacks: str, short: tuple[str, ...]
) -> None:
    every = [*"abcde", "e4s", "e4s-oneapi", "hep", "ml-cpu", "ml-cuda", "ml-rocm"]
    place = Places(dict.fromkeys(every, "changed")).place(stacks.split())
    assert (place.names, place.short) == (tuple(stacks.split()), short)


def test_four_times_the_stacks_take_about_four_times_to_name() -> None:
    def steps(number: int) -> int:
        every = [f"g{it % 7}-s{it}" for it in range(number)]
        places = Places(dict.fromkeys(every, "changed"))
        return work(lambda: [places.place(every[it::2]) for it in range(10)])

    assert steps(800) < 5 * steps(200)
