"""GitHub's own description of its interface, which the server of these tests is held against.

`github_openapi.json` is an excerpt of the npm package `@octokit/openapi` (MIT, see
`github_openapi.LICENSE`): the requests that `snapdiff post` makes. To write it anew:

    npm pack @octokit/openapi && tar xzf octokit-openapi-*.tgz
    python -m tests.posting.published package/generated/api.github.com.json
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("github_openapi.json")

REQUESTS = [
    ("get", "/user"),
    ("get", "/repos/{owner}/{repo}/issues/{issue_number}/comments"),
    ("post", "/repos/{owner}/{repo}/issues/{issue_number}/comments"),
    ("patch", "/repos/{owner}/{repo}/issues/comments/{comment_id}"),
    ("delete", "/repos/{owner}/{repo}/issues/comments/{comment_id}"),
]

UNDESCRIBED = {401, 403, 404}
"""What GitHub answers to any request, whether its description says so there or not."""


class Description:
    """What GitHub publishes, asked whether a request and its answer are as described."""

    def __init__(self) -> None:
        """Read the excerpt."""
        self._all = json.loads(FILE.read_text("utf-8"))

    def faults_of(
        self, method: str, path: str, sent: Any, status: int, answered: Any, headers: set[str]
    ) -> list[str]:
        """What is not as described; `path` is without the API's own prefix and query."""
        described = self._operation(method, path)
        if described is None:
            return [f"{method} {path}: is not described"]
        found = []
        if "requestBody" in described:
            found += self._mismatches(described["requestBody"], sent)
        response = described["responses"].get(str(status))
        if response is None and status not in UNDESCRIBED:
            found.append(f"{status} is not described")
        if response is None:
            schema = {"$ref": "#/components/schemas/basic-error"}
            found += self._mismatches(
                {"content": {"application/json": {"schema": schema}}}, answered
            )
        else:
            response = self._resolved(response)
            found += self._mismatches(response, answered)
            unknown = headers & {"link"} - {name.lower() for name in response.get("headers", ())}
            found += [f"the header {name} is not described" for name in unknown]
        return [f"{method} {path}: {status}: {fault}" for fault in found]

    def _operation(self, method: str, path: str) -> Any:
        for template, operations in self._all["paths"].items():
            pattern = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(template))
            if re.fullmatch(pattern, path) and method.lower() in operations:
                return operations[method.lower()]
        return None

    def _resolved(self, part: Any) -> Any:
        while "$ref" in part:
            names = part["$ref"].removeprefix("#/").split("/")
            part = self._all
            for name in names:
                part = part[name]
        return part

    def _mismatches(self, part: Any, value: Any) -> list[str]:
        # Late: its grammars of addresses take seconds to build, in every process of the tests.
        from jsonschema import Draft202012Validator, FormatChecker

        content = part.get("content", {}).get("application/json")
        if content is None:
            return [] if value is None else ["an answer where none is described"]
        schema = {**_as_json_schema(content["schema"]), "components": self._all["components"]}
        schema["components"] = _as_json_schema(schema["components"])
        validator = Draft202012Validator(schema, format_checker=FormatChecker())
        return [error.message[:300] for error in validator.iter_errors(value)]


def _as_json_schema(part: Any) -> Any:
    """OpenAPI 3.0 says `nullable` where JSON Schema has the type `null`."""
    if isinstance(part, list):
        return [_as_json_schema(item) for item in part]
    if not isinstance(part, dict):
        return part
    plain = {name: _as_json_schema(item) for name, item in part.items() if name != "nullable"}
    return {"anyOf": [plain, {"type": "null"}]} if part.get("nullable") is True else plain


# --- The excerpt ---

_WORDS = {"description", "summary", "example", "examples", "externalDocs", "tags", "x-github"}


def _excerpt(whole: Any) -> Any:
    parts: dict[str, Any] = {"paths": {}, "components": {}}
    for method, path in REQUESTS:
        operation = whole["paths"][path][method]
        kept = {name: operation[name] for name in ("requestBody", "responses") if name in operation}
        parts["paths"].setdefault(path, {})[method] = _without_words(kept)
    while missing := _references(parts) - _references_there(parts["components"]):
        for kind, name in missing:
            part = _without_words(whole["components"][kind][name])
            parts["components"].setdefault(kind, {})[name] = part
    info = {name: whole["info"][name] for name in ("title", "version", "license")}
    return {"openapi": whole["openapi"], "info": info, **parts}


def _without_words(part: Any) -> Any:
    if isinstance(part, list):
        return [_without_words(item) for item in part]
    if not isinstance(part, dict):
        return part
    return {
        name: {inner: _without_words(item) for inner, item in value.items()}
        if name == "properties"
        else _without_words(value)
        for name, value in part.items()
        if name not in _WORDS
    }


def _references(part: Any) -> set[tuple[str, str]]:
    found = re.findall(r'"#/components/([\w-]+)/([\w-]+)"', json.dumps(part))
    return {(kind, name) for kind, name in found}


def _references_there(components: Any) -> set[tuple[str, str]]:
    return {(kind, name) for kind, named in components.items() for name in named}


if __name__ == "__main__":
    described = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    FILE.write_text(json.dumps(_excerpt(described), indent=1) + "\n", "utf-8")
