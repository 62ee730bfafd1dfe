"""Text for an older Spark: said otherwise where it can be, refused by name where it cannot."""

from __future__ import annotations

import pytest

import viewscribe as vs
from tests.serializer.cases import CASES, ENV, ORDERS, PEOPLE
from viewscribe import col, lit, row_number
