"""Type parameters: collations, lengths and interval units."""

from __future__ import annotations

from functools import lru_cache

from viewscribe.errors import DataTypeError, did_you_mean

DEFAULT_COLLATION = "UTF8_BINARY"

_LOCALES = """
af am ar ar_SAU as az be bg blo bn bo br bs bs_Cyrl ca ceb chr cs cy da de de_AUT dsb dz ee el en
en_USA eo es et fa fa_AFG ff ff_Adlm fi fil fo fr fr_CAN fy ga gl gu ha haw he he_ISR hi hr hsb hu
hy id id_IDN ig is it ja ka kk kk_Arab kl km kn ko kok ku ky lb lij lkt ln lo lt lv mk ml mn mr ms
mt my nb nb_NOR ne nl nn no nso om or pa pa_Guru pa_Guru_IND pl ps pt ro ru sa se si sk sl smn sq
sr sr_Cyrl sr_Cyrl_BIH sr_Cyrl_MNE sr_Cyrl_SRB sr_Latn sr_Latn_BIH sr_Latn_SRB st sv sw ta te th tk
tn to tr ug uk ur uz vi wae wo xh yi yo zh zh_Hans zh_Hans_CHN zh_Hans_SGP zh_Hant zh_Hant_HKG
zh_Hant_MAC zh_Hant_TWN zu
"""
"""What Spark has collations for: ``SELECT name FROM collations()``."""

_TRIMMED = ("RTRIM",)
_COMPARED = (("CI", "CS"), ("AI", "AS"), _TRIMMED)
_SPECIFIERS = {
    **dict.fromkeys(("UTF8_BINARY", "UTF8_LCASE"), (_TRIMMED,)),
    **dict.fromkeys(("UNICODE", *_LOCALES.split()), _COMPARED),
}
"""What may stand behind each name, at most one word of a group."""

_BASES = {name.upper(): name for name in _SPECIFIERS}
_UNSAID = frozenset({"CS", "AS"})


@lru_cache(maxsize=256)
def canonical_collation(name: str) -> str:
    """Returns Spark's spelling of a collation: ``sr_cyrl_srb_ai_ci`` is ``sr_Cyrl_SRB_CI_AI``.

    Raises:
        DataTypeError: Spark has no such collation.
    """
    words = name.upper().split("_")
    end = max((at for at in range(1, 4) if "_".join(words[:at]) in _BASES), default=0)
    base, said = _BASES.get("_".join(words[:end]), ""), words[end:]
    groups = [[word for word in said if word in group] for group in _SPECIFIERS.get(base, ())]
    if any(len(group) > 1 for group in groups) or len(said) != sum(map(len, groups)) or not base:
        raise DataTypeError(
            f"there is no collation {name}",
            hint=did_you_mean(name, _SPECIFIERS) or "SELECT name FROM collations() lists them",
        )
    return "_".join([base, *(each for group in groups for each in group if each not in _UNSAID)])


def collate_clause(collation: str) -> str:
    """Returns the COLLATE clause of a type; empty for the default collation."""
    return "" if collation == DEFAULT_COLLATION else f" COLLATE {collation}"


def check_length(ddl: str, length: int) -> None:
    """Rejects lengths that CHAR and VARCHAR do not accept."""
    if not 0 <= length < 2**31:
        raise DataTypeError(f"{ddl} is not a type", hint="the length is 0 to 2,147,483,647")


def check_units(units: tuple[str, ...], start: str, end: str) -> None:
    """Rejects unknown interval units, and units that are not in descending order."""
    if start not in units or end not in units or units.index(start) > units.index(end):
        raise DataTypeError(
            f"{interval_ddl(start, end)} is not a type",
            hint=f"the units, from large to small, are: {', '.join(units)}",
        )


def interval_ddl(start: str, end: str) -> str:
    """Returns the DDL text of an interval type."""
    return f"INTERVAL {start}" if start == end else f"INTERVAL {start} TO {end}"
