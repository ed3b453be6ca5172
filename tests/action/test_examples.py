"""The workflows that the documentation shows, looked at by the linters that look at our own."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.support.helpers import PROJECT
from tests.support.tools import tool

pytestmark = pytest.mark.slow

PAGE = (PROJECT / "docs" / "pull-requests.md").read_text("utf-8")
EXAMPLES = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
THE_TRIGGER_THAT_FORKS_NEED = "[dangerous-triggers]"
WORKFLOWS = [text for text in EXAMPLES if "\njobs:" in text]


def ran(folder: Path, *command: str) -> str:
    """What a linter says of what it does not like."""
    program = tool(command[0], "workflows")
    done = subprocess.run(
        [program, *command[1:]], cwd=folder, capture_output=True, text=True, check=False
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository that has taken over all examples, with the action at a commit."""
    folder = tmp_path / ".github" / "workflows"
    folder.mkdir(parents=True)
    for number, text in enumerate(WORKFLOWS):
        pinned = re.sub(r"snapdiff@main #.*", f"snapdiff@{'1' * 40} # v0.1.0", text)
        assert pinned != text
        (folder / f"example-{number}.yml").write_text(pinned, "utf-8")
    (tmp_path / ".git").mkdir()
    return tmp_path


def test_there_is_a_workflow_for_pull_requests_and_one_for_forks() -> None:
    triggers = [yaml.safe_load(text)[True] for text in WORKFLOWS]
    assert triggers == [
        "pull_request",
        {"workflow_run": {"workflows": ["catalog changes"], "types": ["completed"]}},
    ]
    [of_forks] = [text for text in WORKFLOWS if "workflow_run" in text]
    assert "checkout" not in of_forks
    assert yaml.safe_load(of_forks)["permissions"] == {}


def test_a_copy_with_a_name_left_in_it_does_not_run() -> None:
    """No account on GitHub has an underscore in its name, and pip looks for no name of others."""
    owners = re.findall(r"uses: ([\w-]+)/snapdiff@", PAGE)
    assert len(owners) == 2
    assert all("_" in owner for owner in owners)
    spec, _job = yaml.safe_load_all((PROJECT / "templates/snapdiff/template.yml").read_text())
    assert "default" not in spec["spec"]["inputs"]["install"]
    [included] = [yaml.safe_load(text)["include"][0] for text in EXAMPLES if "include:" in text]
    place, _, version = included["component"].rpartition("/snapdiff@")
    assert included["inputs"]["install"] == f"spack-snapdiff[post] @ git+https://{place}"
    assert version == "main"


def test_the_linters_have_nothing_against_the_workflows(repository: Path) -> None:
    files = [str(file) for file in sorted(repository.rglob("*.yml"))]
    schema = ("check-jsonschema", "--builtin-schema", "vendor.github-workflows")
    assert ran(repository, *schema, *files) == ""
    found = ran(repository, "jactionlint", "--shellcheck=", "--oneline", *files).splitlines()
    assert [line.rpartition(" ")[2] for line in found] == [THE_TRIGGER_THAT_FORKS_NEED]


def test_zizmor_warns_of_nothing_but_a_trigger(repository: Path) -> None:
    said = ran(repository, "zizmor", "--offline", "--quiet", "--no-exit-codes", ".")
    found = set(re.findall(r"^(?:error|warning|help)\[([\w-]+)\]", said, re.MULTILINE))
    assert found <= {THE_TRIGGER_THAT_FORKS_NEED.strip("[]")}


def test_the_example_of_gitlab_names_inputs_that_the_component_has() -> None:
    [included] = [yaml.safe_load(text)["include"][0] for text in EXAMPLES if "include:" in text]
    spec, _job = yaml.safe_load_all((PROJECT / "templates/snapdiff/template.yml").read_text())
    assert set(included["inputs"]) <= set(spec["spec"]["inputs"])


def test_action_and_component_have_the_same_inputs_and_the_page_lists_them() -> None:
    action = yaml.safe_load((PROJECT / "action.yml").read_text("utf-8"))
    spec, _job = yaml.safe_load_all((PROJECT / "templates/snapdiff/template.yml").read_text())
    inputs = set(action["inputs"])
    own = {"install", "image", "stage", "job", "token-variable"}
    assert set(spec["spec"]["inputs"]) - own == inputs - {"artifact", "token"}
    assert all(item["default"] == "" for item in action["inputs"].values())
    table = PAGE.partition("| input |")[2].partition("\n\n")[0]
    assert inputs <= set(re.findall(r"`([\w-]+)`", table))
    table = PAGE.partition("| output |")[2].partition("\n\n")[0]
    assert set(action["outputs"]) <= set(re.findall(r"`([\w-]+)`", table))
