"""The schemas that `snapdiff schema` prints say what every object and every key means."""

import json

import pytest

from snapdiff import settings
from snapdiff.reports import MARKER_RULE
from snapdiff.reports.json_report import CLASSES, COMMON, DOCUMENTS, json_schema, meanings_of_keys
from snapdiff.result.causes import WHATS
from tests.support.helpers import Report, run_cli


def objects(document: str) -> dict[str, Report]:
    """The objects of a schema by name, as the command prints them."""
    done = run_cli("schema", "--of", document)
    assert (done.status, done.err) == (0, "")
    found: dict[str, Report] = json.loads(done.out)["$defs"]
    return found


@pytest.mark.parametrize("document", [*DOCUMENTS, "config"])
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
    common = set()
    classes = CLASSES | vars(settings)
    for document in (*DOCUMENTS, "config"):
        for name, one in objects(document).items():
            described = set(meanings_of_keys(classes[name]))
            keys = set(one.get("properties", {}))
            assert described - keys == set(), name
            common |= keys - described
    assert common == set(COMMON)


def test_a_key_says_what_the_docstring_of_its_class_says() -> None:
    found = objects("report")
    assert found["Cause"]["properties"]["old"]["description"] == (
        "the values before and after, null where the kind of event has none"
    )
    assert found["StackTrait"]["properties"]["what"]["description"] == (
        "what they share: a `dependency` (linked or run, at any depth), a part of how they were "
        "built, or a `dependency variant`"
    )
    assert found["StackTrait"]["description"] == (
        "The trait of what a stack lost (or gained), and how many have it."
    )
    assert found["PackageCount"]["description"].endswith(
        "\n\nThe names are left out in a tag that is on one side only."
    )


def test_a_key_of_a_configuration_file_has_the_rule_of_its_values() -> None:
    found = objects("config")
    for key in ("package", "stack"):
        meaning = found["AcceptedChange"]["properties"][key]["description"]
        assert settings.RULE_OF_GLOBS in meaning
    assert MARKER_RULE in found["CommentSection"]["properties"]["marker"]["description"]


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
