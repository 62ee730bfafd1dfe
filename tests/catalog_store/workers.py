"""What the processes of the race and crash tests run."""

from __future__ import annotations

import os
from multiprocessing.connection import Connection

from tests.catalog_store.samples import view
from viewscribe.catalog_store import (
    AlreadyExistsError,
    CatalogError,
    ConcurrentUpdateError,
    Token,
    open_catalog,
)


def count_up(url: str, times: int) -> int:
    """Add one to the number in the comment ``times`` times; returns how often it lost a race."""
    catalog = open_catalog(url)
    lost = 0
    for _ in range(times):
        while True:
            stored = catalog.get("view", "sales", "counter")
            number = int(stored.document.comment or 0)
            try:
                catalog.replace(view("counter", comment=str(number + 1)), expected=stored.token)
                break
            except ConcurrentUpdateError:
                lost += 1
    return lost


def replace_once(url: str, token: Token, comment: str) -> str:
    """Replace the counter, expecting ``token``; says how it went."""
    try:
        open_catalog(url).replace(view("counter", comment=comment), expected=token)
    except CatalogError as error:
        return type(error).__name__
    return "won"


def create_all(url: str, names: list[str], mark: str) -> list[str]:
    """Create the views, marked; returns those this process was the first to create."""
    catalog = open_catalog(url)
    won = []
    for name in names:
        try:
            catalog.create(view(name, comment=mark))
            won.append(name)
        except AlreadyExistsError:
            pass
    return won


def write_for_ever(url: str, name: str, told: Connection) -> None:
    """Count up in one view until killed; writes each number to ``told`` once it is stored."""
    catalog = open_catalog(url)
    while True:
        stored = catalog.get("view", "sales", name)
        number = int(stored.document.comment or 0) + 1
        catalog.replace(view(name, comment=str(number), sql=SQL), expected=stored.token)
        os.write(told.fileno(), f"{number}\n".encode())


SQL = "SELECT\n" + "  1,\n" * 200 + "  2"
