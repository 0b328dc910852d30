"""Expressions, by precedence climbing, so that a level of brackets takes four stack frames and not fourteen."""

from __future__ import annotations

from difflib import get_close_matches

from sparqlish.ast import IRI, Aggregate, Call, Exists, Expression, Group, Literal, Variable
from sparqlish.cursor import ParserOptions
from sparqlish.errors import SparqlishError, UnknownFunction, WrongArity
from sparqlish.functions import (
    AGGREGATES,
    GRAMMAR_ARITIES,
    IS_A,
    REFUSED_FUNCTIONS,
    SYNONYMS,
    Arity,
    describe_arity,
    takes,
)
from sparqlish.iris import IRI_TEXT, is_absolute, resolve
from sparqlish.prefixes import XSD
from sparqlish.terms import LITERAL_KINDS, NAMED_KINDS, NUMBER_KINDS, TermParser

__all__ = ["ExpressionParser"]

_OR, _AND, _RELATION, _SUM, _PRODUCT = 1, 2, 3, 4, 5
_LEVELS = {
    "||": _OR,
    "&&": _AND,
    **dict.fromkeys(("=", "!=", "<", "<=", ">", ">=", "IN", "NOT"), _RELATION),
    **dict.fromkeys("+-", _SUM),
    **dict.fromkeys("*/", _PRODUCT),
}
_UNARY = {"!": "!", "-": "unary-", "+": "unary+"}


class ExpressionParser(TermParser):
    """Parses expressions. Every method sets `height` to the height of the tree that it returns."""

    # `aggregates` says whether the clause may have aggregates; `block` numbers the basic graph pattern.
    __slots__ = ("aggregates", "block")

    def __init__(self, text: str, options: ParserOptions) -> None:
        super().__init__(text, options)
        self.aggregates = False
        self.block = 0

    def group(self) -> Group:
        """Parse `{ ... }`; `PatternParser` knows how."""
        raise NotImplementedError

    def expression(self, lowest: int = _OR) -> Expression:
        """Parse an expression of operators that bind at least as tightly as the level `lowest`."""
        kinds = self.kinds
        left = self._unary()
        while (level := _LEVELS.get(kinds[self.i], 0)) >= lowest:
            at = self.i
            sign = kinds[at]
            height = self.height
            self.i = at + 1
            if level <= _AND:
                # A chain of || or && is one call: programs write long chains, which must not nest.
                arguments = [left, self.expression(level + 1)]
                height = max(height, self.height)
                while kinds[self.i] == sign:
                    self.i += 1
                    arguments.append(self.expression(level + 1))
                    height = max(height, self.height)
                left = Call(sign, tuple(arguments))
            elif level == _RELATION:
                if sign == "IN" or sign == "NOT":
                    left = self._membership(left, at)
                else:
                    left = Call(sign, (left, self.expression(_SUM)))
                if _LEVELS.get(kinds[self.i]) == _RELATION:
                    raise self.error(self.i, "comparisons do not chain: put one of them in brackets")
            else:
                left = Call(sign, (left, self.expression(level + 1)))
            self._grow(height, at)
        return left

    def _grow(self, height: int, at: int) -> None:
        """Set `height` to that of a call, given the height of its parts; raise LimitExceeded if it is too high."""
        if height < self.height:
            height = self.height
        self.height = height + 1
        if height >= self.limits.depth:
            raise self.too_deep(at)

    def _membership(self, tested: Expression, at: int) -> Call:
        """Parse `IN (...)` or `NOT IN (...)`, after its first word at `at`."""
        function = "in"
        if self.kinds[at] == "NOT":
            self.expect("IN")
            function = "not in"
        return Call(function, (tested, *self.arguments()))

    def _unary(self) -> Expression:
        at = self.i
        kind = self.kinds[at]
        if kind not in _UNARY:
            return self._primary()
        if kind != "!" and self.kinds[at + 1] in NUMBER_KINDS and self.touches_next(at):
            self.height = 0
            return self.literal()
        self.i = at + 1
        self.enter(at)
        operand = self._unary()
        self.depth -= 1
        self._grow(0, at)
        return Call(_UNARY[kind], (operand,))

    def _primary(self) -> Expression:
        at = self.i
        kind = self.kinds[at]
        if kind in NAMED_KINDS:
            if kind != "VAR" and self.kinds[at + 1] == "(":
                return self.call()
            self.i = at + 1
            self.height = 0
            return self.named(at)
        if kind == "WORD":
            return self.call()
        if kind == "EXISTS" or (kind == "NOT" and self.kinds[at + 1] == "EXISTS"):
            return self.exists()
        if kind == "(":
            return self.bracketed()
        if kind in LITERAL_KINDS:
            self.height = 0
            return self.literal()
        raise self.unexpected("an expression")

    def bracketed(self) -> Expression:
        """Parse `(expression)`."""
        at = self.expect("(")
        self.enter(at)
        inner = self.expression()
        if self.kinds[self.i] != ")":
            raise self.unexpected("`)`", "an operator")
        self.i += 1
        self.depth -= 1
        return inner

    def exists(self) -> Exists:
        """Parse `EXISTS { ... }` or `NOT EXISTS { ... }`."""
        at = self.i
        negated = self.kinds[at] == "NOT"
        self.i = at + 1 + negated
        block, aggregates = self.block, self.aggregates
        self.aggregates = False
        group = self.group()
        self.block, self.aggregates = block, aggregates  # the pattern around it goes on
        self.height = 0
        self._grow(0, at)
        return Exists(group, negated)

    def _aggregate(self, at: int) -> Aggregate:
        """Parse `COUNT(...)` or another aggregate, of which `at` is the name."""
        name = self.texts[at].upper()
        if not self.aggregates:
            reason = f"{name} stands only in SELECT, HAVING and ORDER BY, and not inside another aggregate"
            raise self.error(at, reason)
        self.aggregates = False
        self.i = at + 2
        self.enter(at + 1)
        distinct = self.kinds[self.i] == "DISTINCT"
        self.i += distinct
        argument = None
        self.height = 0
        if name == "COUNT" and self.kinds[self.i] == "*":
            self.i += 1
        else:
            argument = self.expression()
        separator = self._separator() if name == "GROUP_CONCAT" and self.kinds[self.i] == ";" else None
        if self.kinds[self.i] != ")":
            raise self.unexpected("`)`", "an operator")
        self.i += 1
        self.depth -= 1
        self.aggregates = True
        self._grow(0, at)
        return Aggregate(name, argument, distinct, separator)

    def _separator(self) -> str:
        """Parse `; SEPARATOR = "text"`."""
        self.i += 1
        if self.texts[self.i].upper() != "SEPARATOR":
            raise self.unexpected("SEPARATOR")
        self.i += 1
        self.expect("=")
        if self.kinds[self.i] != "STRING":
            raise self.unexpected("a string")
        return self.literal().lexical

    def call(self) -> Expression:
        """Parse a call of a function that is named by a word or by an IRI."""
        at = self.i
        arity: Arity
        if self.kinds[at] == "WORD":
            if self.kinds[at + 1] != "(":
                raise self._without_arguments(at)
            if self.texts[at].upper() in AGGREGATES and self.texts[at] not in self.operators:
                return self._aggregate(at)
            function, arity = self._function(at)
        else:
            function, arity = f"<{self.iri().value}>", None
        self.i = at + 1
        arguments = self.arguments()
        if not takes(arity, len(arguments)):
            expected = describe_arity(arity)
            raise WrongArity.at(
                self.source.written,
                self.places[at],
                f"{self.texts[at]} takes {expected}, here it has {len(arguments)}",
                function=function,
                given=len(arguments),
                expected=(expected,),
            )
        if function == "BOUND" and not isinstance(arguments[0], Variable):
            raise self.unexpected("a variable", at=at + 2)
        self._grow(0, at)
        if function == "IRI" and self.base is not None and isinstance(arguments[0], Literal):
            return self._resolved_iri(arguments[0])
        return Call(function, arguments)

    def _resolved_iri(self, text: Literal) -> Expression:
        """Return `IRI("x")` under a BASE as the IRI that it is; a computed argument must be absolute."""
        if text.datatype != XSD + "string" or IRI_TEXT.fullmatch(text.lexical) is None:
            return Call("IRI", (text,))
        return IRI(text.lexical if is_absolute(text.lexical) else resolve(str(self.base), text.lexical))

    def arguments(self) -> tuple[Expression, ...]:
        """Parse `(expression, ...)`; `height` becomes that of the highest argument."""
        at = self.expect("(")
        if self.kinds[at + 1] == ")":
            self.i = at + 2
            self.height = 0
            return ()
        if self.kinds[at + 1] == "DISTINCT":
            raise self.unsupported(at + 1, "DISTINCT in a function call")
        self.enter(at)
        arguments = [self.expression()]
        height = self.height
        while self.kinds[self.i] == ",":
            self.i += 1
            arguments.append(self.expression())
            if height < self.height:
                height = self.height
        if self.kinds[self.i] != ")":
            raise self.unexpected("`,`", "`)`", "an operator")
        self.i += 1
        self.depth -= 1
        self.height = height
        return tuple(arguments)

    def _function(self, at: int) -> tuple[str, Arity]:
        """Return the canonical name and the arity of the function that a word names."""
        name = self.texts[at]
        upper = name.upper()
        canonical = SYNONYMS.get(upper, upper)
        if self.functions is not None and canonical in self.functions:
            return canonical, GRAMMAR_ARITIES.get(canonical, self.functions[canonical])
        is_a = IS_A.get(name.lower())
        if is_a is not None:
            return is_a, 2
        if name in self.operators:
            return name, self.operators[name]
        if upper in REFUSED_FUNCTIONS:
            raise self.unsupported(at, upper, REFUSED_FUNCTIONS[upper])
        if self.functions is None:
            return canonical, GRAMMAR_ARITIES.get(canonical)
        raise self._unknown_function(at, [*self.operators, *IS_A.values(), *self.functions])

    def _unknown_function(self, at: int, known: list[str]) -> UnknownFunction:
        """Return the error of a call of no function, with the known names that are close to it."""
        name = self.texts[at]
        spelled = {candidate.lower(): candidate for candidate in reversed(known)}
        # Only the beginning of a long name is compared: difflib is quadratic in it.
        close = [spelled[match] for match in get_close_matches(name[:64].lower(), list(spelled))]
        return UnknownFunction.at(
            self.source.written,
            self.places[at],
            f"`{name[:64]}` is not a function"
            + (f": did you mean {' or '.join(close)}?" if close else ", and no operator of that name is registered"),
            function=name,
            expected=tuple(close),
        )

    def _without_arguments(self, at: int) -> SparqlishError:
        """Return the error of a word that no bracket follows: a function without arguments, or no expression."""
        name = self.texts[at]
        if name.upper() in (self.functions or ()) or name.lower() in IS_A or name in self.operators:
            return self.unexpected("`(`", at=at + 1)
        return self.unexpected("an expression", at=at)
