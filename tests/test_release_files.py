"""What a release has beside the package: manual, completions, recipe, hook, workflow, templates."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from release.command_files import NAMES, SHARE, command_files
from release.ready import PLACEHOLDER, missing_for
from tests.support.helpers import PROJECT
from tests.support.tools import program

with open(PROJECT / "pyproject.toml", "rb") as pyproject:
    METADATA: dict[str, Any] = tomllib.load(pyproject)["project"]


def test_the_manual_and_the_completions_are_those_of_the_commands() -> None:
    kept = {
        str(file.relative_to(SHARE)): file.read_text(encoding="utf-8")
        for file in SHARE.rglob("*")
        if file.is_file()
    }
    assert kept == command_files(), "make manual"


def test_the_manual_has_every_command_and_no_fault_that_a_formatter_finds() -> None:
    page = SHARE / "man" / "man1" / "snapdiff.1"
    program("groff")
    done = subprocess.run(
        ["groff", "-man", "-ww", "-Tutf8", "-P-cbou", "-rLL=100n", page],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    for words in (
        "snapdiff [diff] [OPTIONS] [OLD] [NEW]",
        "snapdiff changelog [OPTIONS] RANGE",
        "--fail-on KIND[,KIND]",
        "snapdiff HEAD~1 HEAD ",
        "snapdiff --title 'v23.11: what is new' v23.08..v23.11",
        "EXIT STATUS",
        "git config diff.snapdiff.command ",
    ):
        assert words in done.stdout
    assert "  ├── zlib replaced by zlib-ng" in done.stdout


@pytest.mark.parametrize(
    ("shell", "pattern"),
    [
        ("bash", "bash-completion/completions/*"),
        ("zsh", "zsh/site-functions/*"),
        ("fish", "fish/vendor_completions.d/*"),
    ],
)
def test_a_shell_can_read_its_completions(shell: str, pattern: str) -> None:
    program(shell)
    files = sorted(SHARE.glob(pattern))
    assert len(files) == len(NAMES)
    for file in files:
        done = subprocess.run([shell, "-n", file], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_bash_completes_commands_options_and_values(name: str) -> None:
    command = Path(sys.executable).parent / name

    def completed(*words: str) -> set[str]:
        script = (
            'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
            '"$(complete -p "${1##*/}" | sed "s/.* -F \\([^ ]*\\) .*/\\1/")" "$1"; '
            'printf "%s\\n" "${COMPREPLY[@]}"'
        )
        file = SHARE / "bash-completion" / "completions" / name
        done = subprocess.run(
            ["bash", "-c", script, "bash", file, command, *words],
            capture_output=True,
            text=True,
            check=True,
        )
        return set(done.stdout.split())

    assert completed("--st") == {"--stack", "--stat"}
    assert completed("ch") == {"changelog"}
    assert completed("why", "--ta") == {"--tag"}
    assert completed("--group-by", "") == {"stack", "package"}


def requirements(names: list[str]) -> dict[str, str]:
    """The lowest version of each distribution that is asked for."""
    found = dict(re.findall(r"^([\w-]+)>=([\d.]+)$", "\n".join(names), re.MULTILINE))
    assert len(found) + sum("[" in name for name in names) == len(names)
    return {name.lower(): version for name, version in found.items()}


class Recipe:
    """What the recipe for Spack says, read without Spack."""

    def __init__(self) -> None:
        """Find all directives, those in a `with` block too."""
        text = (PROJECT / "release" / "spack" / "package.py").read_text(encoding="utf-8")
        [self.package] = [node for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]
        self.calls: list[tuple[str, str, dict[str, Any]]] = []
        for node in ast.walk(self.package):
            if isinstance(node, ast.Call) and node.args:
                assert isinstance(node.func, ast.Name)
                words = {item.arg or "": ast.literal_eval(item.value) for item in node.keywords}
                self.calls.append((node.func.id, ast.literal_eval(node.args[0]), words))

    def dependencies(self, when: str | None) -> dict[str, str]:
        """The lowest version of what is needed always, or with a variant."""
        names = [
            name
            for call, name, words in self.calls
            if call == "depends_on" and words.get("when") == when
        ]
        return {
            name.removeprefix("py-"): version
            for name, _, version in (item.removesuffix(":").partition("@") for item in names)
        }

    def variants(self) -> set[str]:
        """The variants there are."""
        return {name for call, name, _ in self.calls if call == "variant"}

    def assigned(self, name: str) -> str:
        """The value of a class attribute."""
        [value] = [
            node.value
            for node in self.package.body
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name
        ]
        return str(ast.literal_eval(value))


def test_the_recipe_for_spack_needs_what_the_project_needs() -> None:
    recipe = Recipe()
    with open(PROJECT / "pyproject.toml", "rb") as file:
        build = tomllib.load(file)["build-system"]["requires"]
    assert recipe.dependencies(None) == {
        "python": METADATA["requires-python"].removeprefix(">="),
        "git": "",
        **requirements(build),
        **requirements(METADATA["dependencies"]),
    }


def test_the_recipe_for_spack_has_a_variant_for_each_extra_of_a_user() -> None:
    recipe = Recipe()
    extras = METADATA["optional-dependencies"]
    of_a_clone = {"bench", "browser", "dev", "docs", "release", "stores", "test", "workflows"}
    assert recipe.variants() == extras.keys() - of_a_clone
    for extra in recipe.variants():
        assert recipe.dependencies(f"+{extra}") == requirements(extras[extra])
        others = re.findall(r"spack-snapdiff\[(\w+)\]", "\n".join(extras[extra]))
        assert [
            name
            for call, name, words in recipe.calls
            if call == "requires" and words["when"] == f"+{extra}"
        ] == [f"+{other}" for other in others]


def test_the_recipe_for_spack_is_called_like_the_distribution() -> None:
    recipe = Recipe()
    words = f"py-{METADATA['name']}".split("-")
    assert recipe.package.name == "".join(word.capitalize() for word in words)
    assert recipe.assigned("pypi").startswith(f"{METADATA['name']}/spack_snapdiff-")
    assert ("license", METADATA["license"], {}) in recipe.calls


def test_every_address_of_the_project_is_in_one_repository() -> None:
    home = Recipe().assigned("homepage")
    owner = re.fullmatch(r"https://github\.com/([\w-]+)/snapdiff", home)
    assert owner
    assert all(url.startswith(home) for url in METADATA.get("urls", {}).values())
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    for name in listed.stdout.split("\0")[:-1]:
        text = (PROJECT / name).read_text(encoding="utf-8", errors="replace")
        assert set(re.findall(r"github\.com/([\w-]+)/snapdiff", text)) <= {owner[1]}, name


def test_a_release_needs_its_version_its_section_and_an_owner() -> None:
    missing = "\n".join(missing_for("v99.0"))
    assert "the tag is v99.0, and the version in snapdiff/__init__.py " in missing
    assert ("has no project.urls" in missing) == ("urls" not in METADATA)
    assert (PLACEHOLDER in missing) == (PLACEHOLDER in Recipe().assigned("homepage"))


def test_no_link_of_the_package_leads_to_an_owner_who_is_none() -> None:
    assert PLACEHOLDER not in (PROJECT / "pyproject.toml").read_text(encoding="utf-8")


def test_only_the_jobs_that_publish_may_write() -> None:
    text = (PROJECT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    assert {name: job["permissions"] for name, job in jobs.items() if "permissions" in job} == {
        "attest": {"attestations": "write", "id-token": "write"},
        "pypi": {"id-token": "write"},
        "github": {"contents": "write"},
    }
    # What may write runs nothing of the repository: it takes what was built, and no checkout.
    for name in ("attest", "pypi", "github"):
        assert not any("checkout" in step.get("uses", "") for step in jobs[name]["steps"])
    assert jobs["build"]["needs"] == "test"
    builds = re.findall(r"make (?:dist|sbom)|hatchling|-m build", text)
    assert builds == ["make sbom"]  # which is after `make dist`: one build, passed on


@pytest.mark.parametrize(
    "file",
    sorted((PROJECT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")),
    ids=lambda file: file.name,
)
def test_an_issue_template_is_a_form_as_github_takes_it(file: Path) -> None:
    form = yaml.safe_load(file.read_text(encoding="utf-8"))
    if file.name == "config.yml":
        assert all(link.keys() == {"name", "url", "about"} for link in form["contact_links"])
        return
    assert form.keys() == {"name", "description", "labels", "body"}
    identifiers = [field["id"] for field in form["body"]]
    assert len(set(identifiers)) == len(identifiers)
    for field in form["body"]:
        assert field["type"] in ("textarea", "input")
        assert field["attributes"]["label"]
    assert any(field.get("validations", {}).get("required") for field in form["body"])
