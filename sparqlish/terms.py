"""Terms: variables, IRIs and literals. Prefixed names are expanded and relative IRIs resolved."""

from __future__ import annotations

import re
from difflib import get_close_matches

from sparqlish.ast import IRI, Literal, Variable
from sparqlish.cursor import Cursor
from sparqlish.errors import UnknownPrefix
from sparqlish.iris import IRI_TEXT, is_absolute, resolve
from sparqlish.prefixes import PREFIXES, RDF, XSD
from sparqlish.tokens import LOCAL_ESCAPE, STRING_ESCAPE

__all__ = ["LITERAL_KINDS", "NAMED_KINDS", "NUMBER_KINDS", "TermParser"]

NUMBER_KINDS = {"INTEGER": XSD + "integer", "DECIMAL": XSD + "decimal", "DOUBLE": XSD + "double"}
# Kinds of tokens whose text alone determines the term.
NAMED_KINDS = frozenset(("VAR", "NAME", "IRI"))
LITERAL_KINDS = frozenset(("STRING", "TRUE", "FALSE", "+", "-", *NUMBER_KINDS))

_STRING = XSD + "string"
_BOOLEAN = XSD + "boolean"
_LANG_STRING = RDF + "langString"
_ESCAPED_CHARACTERS = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", "\\": "\\", '"': '"', "'": "'"}


class TermParser(Cursor):
    """Parses terms."""

    __slots__ = ()

    def named(self, at: int) -> IRI | Variable:
        """Return the variable or IRI of a token; equal tokens give the same object."""
        text = self.texts[at]
        term = self.known.get(text)
        if term is None:
            kind = self.kinds[at]
            if kind == "VAR":
                term = Variable(text[1:])
            elif kind == "NAME":
                term = IRI(self.expand(text, at))
            else:
                term = IRI(self.resolve(text[1:-1], at))
            self.known[text] = term
        return term

    def variable(self) -> Variable:
        """Parse a variable."""
        at = self.i
        if self.kinds[at] != "VAR":
            raise self.unexpected("a variable")
        self.i = at + 1
        return self.named(at)  # type: ignore[return-value]  # a VAR token's value is a variable

    def iri(self) -> IRI:
        """Parse an IRI or a prefixed name."""
        at = self.i
        if self.kinds[at] not in ("NAME", "IRI"):
            raise self.unexpected("an IRI")
        self.i = at + 1
        return self.named(at)  # type: ignore[return-value]

    def expand(self, name: str, at: int) -> str:
        """Expand a prefixed name; prefixes of the text override those of the caller, which override the presets."""
        prefix, _, local = name.partition(":")
        namespace = self.prefixes.get(prefix)
        if namespace is None:
            namespace = self.given_prefixes.get(prefix)
            if namespace is None:
                namespace = PREFIXES.get(prefix)
                if namespace is None:
                    close = get_close_matches(prefix, {*self.prefixes, *self.given_prefixes, *PREFIXES}, n=1)
                    hint = f"did you mean `{close[0]}:`? Otherwise " if close else ""
                    raise UnknownPrefix.at(
                        self.source.written,
                        self.places[at],
                        f"the prefix `{prefix[:40]}:` is not declared: {hint}begin with `PREFIX {prefix[:40]}: <...>`",
                        prefix=prefix,
                        expected=(f"PREFIX {prefix}: <...>",),
                    )
            elif IRI_TEXT.fullmatch(namespace) is None:
                raise self.error(at, f"the prefix `{prefix}:` was given as {namespace!r}, which is not an IRI")
        return namespace + (LOCAL_ESCAPE.sub(r"\1", local) if "\\" in local else local)

    def resolve(self, reference: str, at: int) -> str:
        """Resolve an IRI as written between angle brackets."""
        if is_absolute(reference):
            return reference
        if self.base is None:
            raise self.error(
                at,
                f"`<{reference[:40]}>` is a relative IRI: write an absolute one, such as <http://...>, or add a BASE",
                expected=("an absolute IRI",),
            )
        return resolve(self.base, reference)

    def literal(self) -> Literal:
        """Parse a literal; the kind of the next token must be in `LITERAL_KINDS`."""
        at = self.i
        kind, text = self.kinds[at], self.texts[at]
        self.i = at + 1
        if kind == "STRING":
            return self._string(text)
        datatype = NUMBER_KINDS.get(kind)
        if datatype is not None:
            return Literal(text, datatype)
        if kind in ("TRUE", "FALSE"):
            return Literal(text.lower(), _BOOLEAN)
        datatype = NUMBER_KINDS.get(self.kinds[at + 1])
        if datatype is None or not self.touches_next(at):
            raise self.unexpected("a number right behind the sign", at=at)
        self.i = at + 2
        return Literal(text + self.texts[at + 1], datatype)

    def _string(self, text: str) -> Literal:
        """Parse the language or datatype of a string, after its token, and return the literal."""
        quotes = 3 if text.startswith(('"""', "'''")) else 1
        lexical = text[quotes:-quotes]
        if "\\" in lexical:
            lexical = STRING_ESCAPE.sub(_unescaped, lexical)
        at = self.i
        kind = self.kinds[at]
        if kind == "^^":
            self.i = at + 1
            return Literal(lexical, self.iri().value)
        # The grammar allows white space between a string and its tag.
        if kind == "LANG":
            self.i = at + 1
            return Literal(lexical, _LANG_STRING, self.texts[at][1:])
        return Literal(lexical, _STRING)


def _unescaped(escape: re.Match[str]) -> str:
    return _ESCAPED_CHARACTERS[escape[0][1]]
