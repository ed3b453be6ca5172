"""The schemas that `snapdiff schema` prints say what every object and every key means."""

import json

import pytest

from snapdiff.reports.json_schema import COMMON, DOCUMENTS, MEANINGS, json_schema
from snapdiff.result.causes import WHATS
from tests.support.helpers import Report, run_cli


def objects(document: str) -> dict[str, Report]:
    """The objects of a schema by name, as the command prints them."""
    done = run_cli("schema", "--of", document)
    assert (done.status, done.err) == (0, "")
    found: dict[str, Report] = json.loads(done.out)["$defs"]
    return found


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_object_and_every_key_has_a_description(document: str) -> None:
    found = objects(document)
    assert [name for name, one in found.items() if len(one.get("description", "")) < 10] == []
    without = [
        f"{name}.{key}"
        for name, one in found.items()
        for key, value in one.get("properties", {}).items()
        if len(value.get("description", "")) < 6
    ]
    assert without == []


def test_no_key_is_described_that_is_in_no_report() -> None:
    keys: dict[str, set[str]] = {}
    for document in DOCUMENTS:
        for name, one in objects(document).items():
            keys.setdefault(name, set()).update(one.get("properties", {}))
    described = [(name, key) for name, meanings in MEANINGS.items() for key in meanings]
    assert [(name, key) for name, key in described if key not in keys[name]] == []
    others = {key for name, some in keys.items() for key in some if (name, key) not in described}
    assert others == set(COMMON)


def test_every_kind_of_event_is_named() -> None:
    for name in ("Cause", "StackCause"):
        what = objects("report")[name]["properties"]["what"]
        assert sorted(what["enum"]) == sorted(WHATS)
        named = [word for word in WHATS if f"`{word}`" in what["description"]]
        fields = {"version", "compiler", "os", "platform", "target", "namespace"}
        assert set(named) == set(WHATS) - fields
        assert "the field of the node that differs" in what["description"]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_schema_asked_for_twice_is_the_same(document: str) -> None:
    assert json_schema(document) == json_schema(document)
