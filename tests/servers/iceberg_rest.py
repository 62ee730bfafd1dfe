"""A small Iceberg REST catalog in this process: as Iceberg's own reference server answers.

What it does with views was read off that server (`make lakehouse` runs the same tests against it
and against Nessie): the first version loses its summary, a commit requires a UUID alone, versions
get numbers of the server's own, and equal ones become one.
"""

from __future__ import annotations

import json
import ssl
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

Answer = tuple[int, Any]


class RefusalError(Exception):
    """An answer that is an error."""

    def __init__(self, status: int, type_: str, message: str) -> None:
        super().__init__(message)
        self.answer = (status, {"error": {"message": message, "type": type_, "code": status}})


class IcebergServer:
    """A catalog in memory.

    Args:
        page: how many entries a list has on one page.
        keeps_versions: whether a view keeps the versions before the current one.
    """

    def __init__(self, *, page: int = 3, keeps_versions: bool = True) -> None:
        self.page = page
        self.keeps_versions = keeps_versions
        self.fault: Callable[[str, str], Answer | None] = lambda method, path: None
        """Asked before each request; what it returns is answered, and nothing is done."""
        self.lost: Callable[[str, str], bool] = lambda method, path: False
        """Asked after each request that was done; where true, the connection just ends."""
        self.admits: Callable[[str, str, dict[str, str], bytes], bool] = lambda *request: True
        """Asked first, with method, target, headers and body; where false, 403 is answered."""
        self.drips: Callable[[str, str], bytes] = lambda method, path: b""
        """Asked before each request; what it returns begins an answer that never ends."""
        self.ended = threading.Event()
        self.requests: list[tuple[str, str]] = []
        self.headers: list[dict[str, str]] = []
        self._lock = threading.Lock()
        self.wipe()

    def wipe(self) -> None:
        """Forgets everything."""
        self.namespaces: dict[str, dict[str, str]] = {}
        self.views: dict[tuple[str, str], dict[str, Any]] = {}
        self.tables: dict[tuple[str, str], dict[str, Any]] = {}

    def answer(self, method: str, path: str, query: dict[str, str], body: Any) -> Answer:
        """One request, while no other one is answered."""
        with self._lock:
            try:
                return self._answer(
                    method, [unquote(each) for each in path.split("/")], query, body
                )
            except RefusalError as refusal:
                return refusal.answer

    def _answer(self, method: str, path: list[str], query: dict[str, str], body: Any) -> Answer:
        match method, path:
            case "GET", ["config"]:
                return 200, {"defaults": {}, "overrides": {}}
            case "GET", ["namespaces"]:
                names = [[each] for each in sorted(self.namespaces)]
                return 200, self._paged("namespaces", names, query)
            case "POST", ["namespaces"]:
                name = body["namespace"][0]
                if name in self.namespaces:
                    raise RefusalError(409, "AlreadyExistsException", "Namespace already exists")
                self.namespaces[name] = dict(body["properties"])
                return 200, body
            case "POST", ["views", "rename"]:
                return self._rename(body)
            case _, ["namespaces", name, *rest]:
                if name not in self.namespaces:
                    raise RefusalError(404, "NoSuchNamespaceException", f"no namespace {name}")
                return self._in_namespace(method, name, rest, query, body)
        raise RefusalError(400, "BadRequestException", f"no such request: {method} {path}")

    def _in_namespace(
        self, method: str, home: str, rest: list[str], query: dict[str, str], body: Any
    ) -> Answer:
        held = {"views": self.views, "tables": self.tables}
        match method, rest:
            case "GET" | "HEAD", []:
                return 200, {"namespace": [home], "properties": self.namespaces[home]}
            case "DELETE", []:
                if any(place[0] == home for each in held.values() for place in each):
                    raise RefusalError(409, "NamespaceNotEmptyException", "Namespace is not empty")
                del self.namespaces[home]
                return 204, None
            case "POST", ["properties"]:
                properties = self.namespaces[home]
                for key in body["removals"]:
                    properties.pop(key, None)
                properties.update(body["updates"])
                return 200, {"updated": [*body["updates"]], "removed": body["removals"]}
            case "GET", ["views" | "tables" as kind]:
                found = [
                    {"namespace": [home], "name": name}
                    for place, name in sorted(held[kind])
                    if place == home
                ]
                return 200, self._paged("identifiers", found, query)
            case "POST", ["views"]:
                self._require_free((home, body["name"]))
                self.views[home, body["name"]] = _created(body)
                return 200, _told(self.views[home, body["name"]])
            case "POST", ["tables"]:
                self._require_free((home, body["name"]))
                schema = {**body["schema"], "schema-id": 0}
                self.tables[home, body["name"]] = {"current-schema-id": 0, "schemas": [schema]}
                return 200, _told(self.tables[home, body["name"]])
            case _, ["views" | "tables" as kind, name]:
                return self._on_object(method, held[kind], (home, name), body)
        raise RefusalError(400, "BadRequestException", f"no such request: {method} {rest}")

    def _on_object(
        self, method: str, held: dict[tuple[str, str], Any], place: tuple[str, str], body: Any
    ) -> Answer:
        if place not in held:
            raise RefusalError(
                404, "NoSuchViewException", f"View does not exist: {'.'.join(place)}"
            )
        match method:
            case "GET" | "HEAD":
                return 200, _told(held[place])
            case "DELETE":
                del held[place]
                return 204, None
            case "POST":
                held[place] = self._committed(held[place], body)
                return 200, _told(held[place])
        raise RefusalError(400, "BadRequestException", method)

    def _committed(self, view: dict[str, Any], body: Any) -> dict[str, Any]:
        for each in body["requirements"]:
            if each != {"type": "assert-view-uuid", "uuid": view["view-uuid"]}:
                raise RefusalError(409, "CommitFailedException", "Requirement failed: view UUID")
        view = json.loads(json.dumps(view))
        for update in body["updates"]:
            _UPDATES[update["action"]](view, update)
        view.pop("added-schema", None)
        most = int(view["properties"].get("version.history.num-entries", 10))
        if not self.keeps_versions:
            most = 1
        kept = view["version-log"][-most:]
        ids = {each["version-id"] for each in kept}
        view["version-log"] = kept
        view["versions"] = [each for each in view["versions"] if each["version-id"] in ids]
        return view

    def _rename(self, body: Any) -> Answer:
        source, target = (
            (body[each]["namespace"][0], body[each]["name"]) for each in ("source", "destination")
        )
        if source not in self.views:
            raise RefusalError(404, "NoSuchViewException", f"View does not exist: {source}")
        if target[0] not in self.namespaces:
            raise RefusalError(404, "NoSuchNamespaceException", f"no namespace {target[0]}")
        self._require_free(target)
        self.views[target] = self.views.pop(source)
        return 204, None

    def _require_free(self, place: tuple[str, str]) -> None:
        if place in self.views or place in self.tables:
            raise RefusalError(
                409, "AlreadyExistsException", f"View already exists: {'.'.join(place)}"
            )

    def _paged(self, key: str, found: list[Any], query: dict[str, str]) -> dict[str, Any]:
        if "pageToken" not in query:
            return {key: found}
        start = int(query["pageToken"] or 0)
        end = start + self.page
        return {
            key: found[start:end],
            "next-page-token": str(end) if end < len(found) else None,
        }


def _told(held: dict[str, Any]) -> dict[str, Any]:
    return {"metadata-location": "memory", "metadata": held}


def _created(body: Any) -> dict[str, Any]:
    version = {**body["view-version"], "version-id": 1, "summary": {"iceberg-version": "none"}}
    return {
        "view-uuid": str(uuid.uuid4()),
        "format-version": 1,
        "location": "memory",
        "schemas": [body["schema"]],
        "current-version-id": 1,
        "versions": [version],
        "version-log": [{"version-id": 1, "timestamp-ms": version["timestamp-ms"]}],
        "properties": dict(body["properties"]),
    }


def _add_schema(view: dict[str, Any], update: Any) -> None:
    wanted = update["schema"]
    if any(each["fields"] == wanted["fields"] for each in view["schemas"]):
        return  # so that -1 then means none, which the reference server refuses as well
    number = 1 + max(each["schema-id"] for each in view["schemas"])
    view["schemas"].append({**wanted, "schema-id": number})
    view["added-schema"] = number


def _add_version(view: dict[str, Any], update: Any) -> None:
    version = dict(update["view-version"])
    if version["schema-id"] == -1:
        if "added-schema" not in view:
            raise RefusalError(400, "ValidationException", "Cannot set last added schema")
        version["schema-id"] = view["added-schema"]
    elif all(each["schema-id"] != version["schema-id"] for each in view["schemas"]):
        raise RefusalError(400, "ValidationException", f"no schema {version['schema-id']}")
    for each in view["versions"]:
        if all(
            each.get(key) == version.get(key)
            for key in ("schema-id", "summary", "representations", "default-namespace")
        ):
            view["added"] = each["version-id"]
            return
    version["version-id"] = 1 + max(each["version-id"] for each in view["versions"])
    view["versions"].append(version)
    view["added"] = version["version-id"]


def _set_current(view: dict[str, Any], update: Any) -> None:
    number = update["view-version-id"]
    added = view.pop("added", None)
    if number == -1:
        number = added
    version = next(each for each in view["versions"] if each["version-id"] == number)
    moment = version["timestamp-ms"] if number == added else int(time.time() * 1_000)
    if number != view["current-version-id"]:
        view["current-version-id"] = number
        view["version-log"].append({"version-id": number, "timestamp-ms": moment})


def _remove_properties(view: dict[str, Any], update: Any) -> None:
    for key in update["removals"]:
        view["properties"].pop(key, None)


_UPDATES: dict[str, Callable[[dict[str, Any], Any], None]] = {
    "add-schema": _add_schema,
    "add-view-version": _add_version,
    "set-current-view-version": _set_current,
    "set-properties": lambda view, update: view["properties"].update(update["updates"]),
    "remove-properties": _remove_properties,
}


@contextmanager
def iceberg_rest(server: IcebergServer, encryption: ssl.SSLContext | None = None) -> Iterator[str]:
    """Serves a catalog on loopback, and gives the URL that ``open_catalog`` takes."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # headers and body in one packet
        disable_nagle_algorithm = True

        def _handle(self) -> None:
            parts = urlsplit(self.path)
            size = int(self.headers.get("Content-Length") or 0)
            sent = self.rfile.read(size)
            is_form = "x-www-form-urlencoded" in self.headers.get("Content-Type", "")
            body = json.loads(sent) if size and not is_form else None
            path = parts.path.removeprefix("/v1/")
            server.requests.append((self.command, path))
            server.headers.append(dict(self.headers))
            if beginning := server.drips(self.command, path):
                self.close_connection = True
                self.wfile.write(beginning)
                with suppress(OSError):
                    while not server.ended.wait(0.01):
                        self.wfile.write(b" ")
                        self.wfile.flush()
                return
            query = {key: each[0] for key, each in parse_qs(parts.query, True).items()}
            if server.admits(self.command, self.path, dict(self.headers), sent):
                status, answer = server.fault(self.command, path) or server.answer(
                    self.command, path, query, body
                )
            else:
                status, answer = RefusalError(403, "ForbiddenException", "signature").answer
            if server.lost(self.command, path):
                self.close_connection = True
                return
            data = b"" if answer is None or self.command == "HEAD" else json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_HEAD = do_POST = do_DELETE = _handle  # noqa: N815

        def log_message(self, format: str, *args: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 64

    http = Server(("127.0.0.1", 0), Handler)
    if encryption is not None:
        http.socket = encryption.wrap_socket(http.socket, server_side=True)
    scheme = "http" if encryption is None else "https"
    thread = threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"iceberg:{scheme}://127.0.0.1:{http.server_port}?name=lake"
    finally:
        server.ended.set()
        http.shutdown()
        http.server_close()
