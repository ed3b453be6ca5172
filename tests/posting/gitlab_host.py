"""GitLab's interface for notes of merge requests, as its documentation has it."""

import re
from typing import Any

from tests.posting.code_host import (
    NUMBER,
    REPOSITORY,
    CodeHost,
    Request,
    Response,
    StoredComment,
    User,
)

_PATH = re.compile(r"/projects/([^/]+)/merge_requests/(\d+)(?:(/notes)(?:/(\d+))?)?")

_PROJECT = ("81", REPOSITORY.replace("/", "%2F"))
_NO_SCOPE = {
    "error": "insufficient_scope",
    "error_description": "The request requires higher privileges than the access token has.",
    "scope": "api",
}
_DATE = "2026-05-05T05:05:05.000Z"


class GitLab:
    """What gitlab.com speaks below `/api/v4`."""

    prefix = "/api/v4"
    place = f"81!{NUMBER}"
    edits = "PUT"
    list_end = "/notes"

    def answer(self, host: CodeHost, request: Request) -> Response:
        """Do what is asked for and say so."""
        user = host.users.get(request.headers.get("private-token", ""))
        if not user:
            return Response(401, {"message": "401 Unauthorized"})
        if request.path == "/user":
            return Response(200, _account(user.login))
        asked = _PATH.fullmatch(request.path)
        if not asked or asked[1] not in _PROJECT or asked[2] != str(NUMBER):
            return Response(404, {"message": "404 Not found"})
        if not asked[3]:
            return Response(200, {"id": 5, "iid": NUMBER, "web_url": _page(host)})
        if request.method == "GET":
            return self._listed(host, request)
        if not user.may_write:
            return Response(403, _NO_SCOPE)
        if request.method == "POST":
            return self._wrong(request) or Response(
                201, _shown(host.add(user.login, request.body["body"]))
            )
        note = host.find(asked[4] or "")
        if not note:
            return Response(404, {"message": "404 Note Not Found"})
        return self._of_note(host, request, user, note)

    def _listed(self, host: CodeHost, request: Request) -> Response:
        newest_first = request.query.get("sort", "desc") == "desc"
        notes = [_shown(item) for item in host.comments]
        items, links = host.page(request, notes[::-1] if newest_first else notes, 20)
        return Response(200, items, links)

    def _of_note(
        self, host: CodeHost, request: Request, user: User, note: StoredComment
    ) -> Response:
        if note.author != user.login:
            return Response(403, {"message": "403 Forbidden"})
        if request.method == "DELETE":
            host.comments.remove(note)
            return Response(204)
        assert request.method == "PUT"
        wrong = self._wrong(request)
        if not wrong:
            note.body = host.normalised(request.body["body"])
        return wrong or Response(200, _shown(note))

    def faults_of(self, request: Request, response: Response) -> list[str]:
        """Nothing: GitLab publishes no description of notes."""
        del request, response
        return []

    def _wrong(self, request: Request) -> Response | None:
        body = request.body["body"]
        if not body.strip():
            return Response(400, {"message": "400 Bad request - Note can't be blank"})
        if len(body) > 1_000_000:
            fault = {"note": ["is too long (maximum is 1000000 characters)"]}
            return Response(400, {"message": fault})
        return None


def _page(host: CodeHost) -> str:
    return f"{host.url}/{REPOSITORY}/-/merge_requests/{NUMBER}"


def _account(login: str) -> dict[str, Any]:
    return {"id": 7, "username": login, "name": login, "state": "active", "locked": False}


def _shown(note: StoredComment) -> dict[str, Any]:
    return {
        "id": note.comment_id,
        "type": None,
        "body": note.body,
        "author": _account(note.author),
        "created_at": _DATE,
        "updated_at": _DATE,
        "system": False,
        "noteable_id": 5,
        "noteable_type": "MergeRequest",
        "project_id": 81,
        "resolvable": False,
        "confidential": False,
        "internal": False,
        "noteable_iid": NUMBER,
        "commands_changes": {},
    }
