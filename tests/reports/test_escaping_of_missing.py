"""What an environment and a catalog hold is text in the answer of `snapdiff missing`, too."""

import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from snapdiff.safe_text import shown
from tests.reports.test_escaping import Tree, assert_hostile_values_are_text
from tests.support.documents import Item, database, lock, to_bytes
from tests.support.helpers import Result, run_cli, write_files
from tests.support.hostile import HARMLESS, VALUES

ITEM = re.compile("(?m)^  [^ ]")

PLACES = ("package", "version", "os", "compiler", "variant")


def item(place: str, value: str, side: str) -> Item:
    """A spec with the value in one place, which differs from that of the other side there."""
    return {
        "package": Item(value, side),
        "version": Item("zlib", f"{side}{value}"),
        "os": Item("zlib", os=f"{value}{side}"),
        "compiler": Item("zlib", compiler=(f"{value}{side}", "1")),
        "variant": Item("zlib", parameters={f"v{value}": f"{side}{value}"}),
    }[place]


def answer(folder: Path, place: str, values: Iterable[str], name: str, *options: str) -> Result:
    """The answer for environments, one a value, none of whose specs is in the catalog."""
    nearest = []
    for number, value in enumerate(values):
        wanted = Item(**{**vars(item(place, value, "1")), "explicit": True})
        nearest.append(item(place, value, "2"))
        if place != "package":  # each is then nearest to its own
            wanted, nearest[-1] = (
                Item(**{**vars(one), "name": f"p{number}"}) for one in (wanted, nearest[-1])
            )
        write_files(folder, {f"wanted/e{number}/spack.lock": to_bytes(lock([wanted]))})
    write_files(folder, {"cache/build_cache/index.json": to_bytes(database(nearest))})
    done = run_cli("missing", "-C", folder, "wanted", "cache", "-f", name, *options)
    assert (done.status, done.err) == (0, "")
    return done


@pytest.mark.parametrize("options", [[], ["--detail"]])
@pytest.mark.parametrize("place", PLACES)
def test_markdown_shows_hostile_values_as_text(
    tmp_path: Path, place: str, options: list[str]
) -> None:
    hostile = answer(tmp_path / "hostile", place, VALUES.values(), "markdown", *options).out
    assert_hostile_values_are_text(hostile)
    harmless = answer(tmp_path / "harmless", place, HARMLESS, "markdown", *options).out
    found, expected = (Counter(Tree(text).elements) for text in (hostile, harmless))
    assert found.pop("a") <= expected.pop("a")  # not every name has a page to link to
    assert found == expected


@pytest.mark.parametrize("place", PLACES)
def test_the_terminal_gets_no_control_codes(tmp_path: Path, place: str) -> None:
    hostile = answer(tmp_path / "hostile", place, VALUES.values(), "text").out
    assert all(line.isprintable() for line in hostile.split("\n"))
    assert [
        name for name, value in VALUES.items() if shown(value).strip()[:30] not in hostile
    ] == []
    harmless = answer(tmp_path / "harmless", place, HARMLESS, "text").out
    assert len(ITEM.findall(hostile)) == len(ITEM.findall(harmless))


@pytest.mark.parametrize("place", PLACES)
def test_json_keeps_the_values_to_the_letter(tmp_path: Path, place: str) -> None:
    text = json.dumps(json.loads(answer(tmp_path, place, VALUES.values(), "json").out))
    assert [name for name, value in VALUES.items() if json.dumps(value)[1:-1] not in text] == []


@pytest.mark.parametrize("name", ["markdown", "text"])
def test_the_name_of_an_environment_is_text(tmp_path: Path, name: str) -> None:
    folder = "e`|`<b>\x1b[31m\u202e@someone\n# x"
    write_files(
        tmp_path,
        {
            f"wanted/{folder}/spack.lock": to_bytes(lock([Item("zlib", explicit=True)])),
            "cache/build_cache/index.json": to_bytes(database([Item("cmake")])),
        },
    )
    done = run_cli("missing", "-C", tmp_path, "wanted", "cache", "-f", name)
    assert (done.status, done.err) == (0, "")
    assert all(line.isprintable() for line in done.out.split("\n"))
    if name == "markdown":
        tree = Tree(done.out)
        assert Counter(tree.elements)["h1"] == Counter(tree.elements)["h2"] == 1
        assert shown(folder) in tree.codes
    else:
        assert shown(folder) in done.out
