"""Literals for rdflib that are given as they are, and converted to Python values only when somebody asks for one.

rdflib converts each typed literal when it is made. A literal whose text does not fit its type then logs a traceback, so
that a stranger could flood the log, and an rdf:XMLLiteral of a million elements takes seconds to parse, wanted or not.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import rdflib
import rdflib.term


class UnconvertedLiteral(rdflib.Literal):
    """A typed literal that keeps its text; `value`, `toPython()` and `ill_typed` convert it on first use.

    It is equal to the `rdflib.Literal` of the same text and type, has its hash and its place in rdflib's order, and is
    pickled as one. Its conversion logs nothing: the value of a text that does not fit the type is None.

    >>> number = UnconvertedLiteral("01", str(rdflib.XSD.integer))
    >>> number, number.value
    (rdflib.term.Literal('01', datatype=rdflib.term.URIRef('http://www.w3.org/2001/XMLSchema#integer')), 1)
    """

    __slots__ = ("_converted",)
    _converted: rdflib.Literal | None

    def __new__(cls, lexical: str, datatype: str) -> UnconvertedLiteral:
        made: UnconvertedLiteral = str.__new__(cls, lexical)
        made._language, made._datatype, made._converted = None, rdflib.URIRef(datatype), None
        return made

    def _conversion(self) -> rdflib.Literal:
        if self._converted is None:
            with quiet_rdflib():
                self._converted = rdflib.Literal(str(self), datatype=self._datatype, normalize=False)
        return self._converted

    @property
    def _value(self) -> Any:  # rdflib's methods read these two attributes
        return self._conversion().value

    @property
    def _ill_typed(self) -> bool | None:  # type: ignore[override]
        return self._conversion().ill_typed

    def __repr__(self) -> str:
        return f"rdflib.term.Literal({str.__repr__(self)}, datatype={self._datatype!r})"


rdflib.term._ORDERING[UnconvertedLiteral] = rdflib.term._ORDERING[rdflib.Literal]

_quiet: ContextVar[bool] = ContextVar("quiet_rdflib", default=False)


@contextmanager
def quiet_rdflib() -> Iterator[None]:
    """Keep rdflib from logging the literals and IRIs that it finds wrong. Other threads log as before."""
    token = _quiet.set(True)
    try:
        yield
    finally:
        _quiet.reset(token)


def _is_wanted(record: logging.LogRecord) -> bool:
    return not _quiet.get()


logging.getLogger("rdflib.term").addFilter(_is_wanted)
warnings.filterwarnings("ignore", "Parsing weird boolean", UserWarning, "rdflib.term")  # one for each text
