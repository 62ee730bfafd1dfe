"""The small Iceberg REST catalog, as Nessie answers: it knows commits and keeps no log of versions.

A view that is read before Nessie has kept what it has just written is kept without its texts, for
ever (projectnessie/nessie#12504): measured with three readers, in one write of three.
"""

from __future__ import annotations

from typing import Any

from tests.servers.iceberg_rest import Answer, IcebergServer, RefusalError


class NessieServer(IcebergServer):
    """A catalog in memory, with one branch."""

    def __init__(self) -> None:
        super().__init__(keeps_versions=False)
        self.early_reads = 0
        """How many of the next writes somebody reads too early."""
        self._head = 0
        self._changed: dict[str, int] = {}

    def _answer(self, method: str, path: list[str], query: dict[str, str], body: Any) -> Answer:
        if path == ["config"]:
            return 200, {
                "defaults": {"prefix": "main"},
                "overrides": {"nessie.is-nessie-catalog": "true"},
            }
        branch, *rest = path
        pin = branch.partition("@")[2]
        if method in ("GET", "HEAD"):
            return self._with_commit(super()._answer(method, rest, query, body))
        places = _changed_places(rest, body)
        if pin and any(self._changed.get(each, 0) > int(pin) for each in places):
            raise RefusalError(409, "CommitFailedException", "the branch has moved on")
        status, answer = self._with_commit(super()._answer(method, rest, query, body))
        self._head += 1
        self._changed.update(dict.fromkeys(places, self._head))
        if answer is not None and "metadata" in answer and self.early_reads:
            self.early_reads -= 1
            view = self.views[rest[1], body["name"] if rest[-1] == "views" else rest[-1]]
            view["versions"] = [{**each, "representations": []} for each in view["versions"]]
        return status, answer

    def _with_commit(self, answer: Answer) -> Answer:
        status, told = answer
        if told is None or "metadata" not in told:
            return answer
        properties = {**told["metadata"].get("properties", {}), "nessie.commit.id": str(self._head)}
        return status, {**told, "metadata": {**told["metadata"], "properties": properties}}


def _changed_places(path: list[str], body: Any) -> list[str]:
    """The views that a request changes."""
    match path:
        case ["views", "rename"]:
            ends = (body["source"], body["destination"])
            return ["/".join((*each["namespace"], each["name"])) for each in ends]
        case ["namespaces", home, "views", *name]:
            return [f"{home}/{name[0] if name else body['name']}"]
    return []
