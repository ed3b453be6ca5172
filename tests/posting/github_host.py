"""GitHub's interface for comments, as published, and Gitea's, as its source has it."""

import json
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
from tests.posting.published import Description

_LIST = re.compile(r"/repos/([^/]+/[^/]+)/issues/(\d+)/comments")
_ONE = re.compile(r"/repos/([^/]+/[^/]+)/issues/comments/(\d+)")

_DATE = "2026-05-05T05:05:05Z"
_DOCS = "https://docs.github.com/rest"
_NOT_ACCESSIBLE = "Resource not accessible by integration"


class GitHub:
    """What api.github.com speaks; GitHub Enterprise below `/api/v3`."""

    place = f"{REPOSITORY}#{NUMBER}"
    edits = "PATCH"
    list_end = "/comments"

    def __init__(self, prefix: str = "") -> None:
        """Take where the interface is."""
        self.prefix = prefix
        self.graphql = "/graphql" if not prefix else "/api/graphql"
        self._description = Description()

    def answer(self, host: CodeHost, request: Request) -> Response:
        """Do what is asked for and say so."""
        token = request.headers.get("authorization", "").partition(" ")[2]
        user = host.users.get(token)
        if not user:
            return self.error(401, "Bad credentials")
        if request.path == self.graphql:
            assert json.dumps(request.body).count("viewer") == 1
            return Response(200, {"data": {"viewer": {"login": user.login}}})
        if request.path == "/user":
            if user.is_app:
                return self.error(403, _NOT_ACCESSIBLE)
            return Response(200, {**account(host, user.login), **_PUBLIC})
        if listed := _LIST.fullmatch(request.path):
            is_there = listed.groups() == (REPOSITORY, str(NUMBER))
            return self.of_request(host, request, user) if is_there else self.missing()
        one = _ONE.fullmatch(request.path)
        comment = host.find(one[2]) if one and one[1] == REPOSITORY else None
        return self.of_comment(host, request, user, comment) if comment else self.missing()

    def of_request(self, host: CodeHost, request: Request, user: User) -> Response:
        """List all comments, or write one."""
        if request.method == "GET":
            return self.listed(host, request)
        if not user.may_write:
            return self.error(403, _NOT_ACCESSIBLE)
        return self.checked(request) or Response(
            201, self.shown(host, host.add(user.login, request.body["body"]))
        )

    def of_comment(
        self, host: CodeHost, request: Request, user: User, comment: StoredComment
    ) -> Response:
        """Edit or delete a comment."""
        if not user.may_write or comment.author != user.login:
            return self.error(403, _NOT_ACCESSIBLE)
        if request.method == "DELETE":
            host.comments.remove(comment)
            return Response(204)
        wrong = self.checked(request)
        if not wrong:
            comment.body = host.normalised(request.body["body"])
        return wrong or Response(200, self.shown(host, comment))

    def faults_of(self, request: Request, response: Response) -> list[str]:
        """What GitHub's published description does not allow: an excerpt without pull requests."""
        if request.path == self.graphql or "/pulls" in request.path or response.status is None:
            return []
        names = {name.lower() for name in response.headers}
        return self._description.faults_of(
            request.method, request.path, request.body, response.status, response.body, names
        )

    def listed(self, host: CodeHost, request: Request) -> Response:
        """A page of all comments."""
        items, links = host.page(request, [self.shown(host, item) for item in host.comments], 30)
        return Response(200, items, links)

    def checked(self, request: Request) -> Response | None:
        """What is wrong with the text of a comment."""
        body = request.body["body"]
        if body.strip() and len(body) <= 65_536:
            return None
        fault = {"resource": "IssueComment", "code": "unprocessable", "field": "data"}
        return Response(
            422,
            {"message": "Validation Failed", "documentation_url": _DOCS, "errors": [fault]},
        )

    def missing(self) -> Response:
        """What is said of what is not there, or may not be seen."""
        return self.error(404, "Not Found")

    def error(self, status: int, message: str) -> Response:
        """A refusal."""
        return Response(
            status, {"message": message, "documentation_url": _DOCS, "status": str(status)}
        )

    def shown(self, host: CodeHost, comment: StoredComment) -> dict[str, Any]:
        """A comment as it is shown."""
        issue = f"{host.api_url}/repos/{REPOSITORY}/issues"
        return {
            "id": comment.comment_id,
            "node_id": f"IC_{comment.comment_id}",
            "url": f"{issue}/comments/{comment.comment_id}",
            "html_url": url_of(host, comment),
            "issue_url": f"{issue}/{NUMBER}",
            "body": comment.body,
            "user": account(host, comment.author) if comment.author else None,
            "created_at": _DATE,
            "updated_at": _DATE,
            "author_association": "NONE",
            "performed_via_github_app": None,
        }


class Gitea(GitHub):
    """Gitea below `/api/v1`: one page, no address of a comment's own, no GraphQL, other errors."""

    def __init__(self) -> None:
        """Take no other place than its own."""
        super().__init__("/api/v1")
        self.graphql = "/api/v1/graphql"

    def answer(self, host: CodeHost, request: Request) -> Response:
        """Do what is asked for and say so."""
        if request.path == "/graphql":
            return Response(404, "404 page not found")
        return super().answer(host, request)

    def faults_of(self, request: Request, response: Response) -> list[str]:
        """Nothing: its description is another one."""
        del request, response
        return []

    def listed(self, host: CodeHost, request: Request) -> Response:
        """All comments at once, whatever is asked for."""
        del request
        return Response(
            200,
            [self.shown(host, item) for item in host.comments],
            {"X-Total-Count": str(len(host.comments))},
        )

    def error(self, status: int, message: str) -> Response:
        """A refusal."""
        return Response(status, {"message": message, "url": "https://gitea.example/api/swagger"})

    def shown(self, host: CodeHost, comment: StoredComment) -> dict[str, Any]:
        """A comment as it is shown."""
        return {
            "id": comment.comment_id,
            "html_url": url_of(host, comment),
            "pull_request_url": f"{host.url}/{REPOSITORY}/pulls/{NUMBER}",
            "issue_url": "",
            "user": {"id": 7, "login": comment.author or "Ghost"},
            "original_author": "",
            "original_author_id": 0,
            "body": comment.body,
            "assets": [],
            "created_at": _DATE,
            "updated_at": _DATE,
        }


def url_of(host: CodeHost, comment: StoredComment) -> str:
    """The page of a comment."""
    return f"{host.url}/{REPOSITORY}/pull/{NUMBER}#issuecomment-{comment.comment_id}"


def account(host: CodeHost, login: str) -> dict[str, Any]:
    """A user as comments name one."""
    of_user = f"{host.api_url}/users/{login.removesuffix('[bot]')}"
    lists = (
        "followers following gists starred subscriptions organizations repos events received_events"
    )
    return {
        "login": login,
        "id": 7,
        "node_id": "U_7",
        "avatar_url": f"{of_user}/avatar",
        "gravatar_id": "",
        "url": of_user,
        "html_url": f"{host.url}/{login.removesuffix('[bot]')}",
        **{f"{name}_url": f"{of_user}/{name}" for name in lists.split()},
        "type": "Bot" if login.endswith("[bot]") else "User",
        "site_admin": False,
    }


_PUBLIC: dict[str, Any] = {
    **dict.fromkeys(("name", "company", "blog", "location", "email", "hireable", "bio")),
    **dict.fromkeys(("public_repos", "public_gists", "followers", "following"), 0),
    "created_at": _DATE,
    "updated_at": _DATE,
    "user_view_type": "public",
}
