"""The functions as methods of expressions: what ``methods.pyi`` beside this tells type checkers."""

from __future__ import annotations

import msgspec


class FunctionMethods(msgspec.Struct, eq=False):
    """What ``Expression`` finds in the registry when it is asked for a method."""
