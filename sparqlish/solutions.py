"""SELECT and the clauses behind a pattern: GROUP BY, HAVING, ORDER BY, LIMIT, OFFSET, VALUES (SPARQL 1.1, 19.8)."""

from __future__ import annotations

from dataclasses import replace

from sparqlish.ast import Aggregate, Call, Expression, Group, GroupKey, OrderKey, Query, Values, Variable
from sparqlish.patterns import PatternParser
from sparqlish.scopes import visible_variables

__all__ = ["SolutionParser", "is_grouped"]

MAX_COUNT_DIGITS = 18  # of LIMIT and OFFSET: more than any publication has solutions


def is_grouped(query: Query) -> bool:
    """Return whether the solutions of a query are those of groups."""
    clauses = (*(each for _, each in query.computed), *query.having, *(key.expression for key in query.order_by))
    return bool(query.group_by) or bool(query.having) or any(map(_has_aggregate, clauses))


class SolutionParser(PatternParser):
    """Parses SELECT queries, and the clauses behind the pattern of any query."""

    __slots__ = ()

    def subquery(self) -> Query:
        return self.select_query()

    def select_query(self) -> Query:
        """Parse `SELECT ... WHERE { ... }` with the clauses behind it."""
        self.i += 1
        kind = self.kinds[self.i]
        if kind == "DISTINCT" or kind == "REDUCED":
            self.i += 1
        at = self.i
        variables, computed = self._projection()
        first_path_term = len(self.path_terms)
        query = Query("SELECT", variables, kind == "DISTINCT", self.where(), kind == "REDUCED", tuple(computed))
        visible = visible_variables(query.where)
        for name, _ in computed:
            if name in visible or name in self.path_terms[first_path_term:]:
                raise self.error(at, f"?{name.name} is already used in the pattern: AS must give a new variable")
        query = self.solutions(query)
        if is_grouped(query):
            self._check_grouped(query, at)
        return query

    def where(self) -> Group:
        """Parse `WHERE { ... }`; the word may be missing."""
        if self.kinds[self.i] == "WHERE":
            self.i += 1
        if self.kinds[self.i] != "{":
            raise self.unexpected("WHERE", "`{`")
        return self.group()

    def solutions(self, query: Query) -> Query:
        """Parse the clauses behind the pattern of a query, and return the query with them."""
        group_by = self._group_keys(query) if self.kinds[self.i] == "GROUP" else ()
        having = self._having() if self.kinds[self.i] == "HAVING" else ()
        order_by = self._order_keys() if self.kinds[self.i] == "ORDER" else ()
        limit, offset = None, None
        for _ in range(2):
            if self.kinds[self.i] == "LIMIT" and limit is None:
                limit = self._count()
            elif self.kinds[self.i] == "OFFSET" and offset is None:
                offset = self._count()
        query = replace(query, group_by=group_by, having=having, order_by=order_by, limit=limit, offset=offset or 0)
        if self.kinds[self.i] != "VALUES":
            return query
        values = self.values()
        if is_grouped(query):
            return replace(query, values=values)
        return replace(query, where=Group((query.where, values)))  # joined last: the group's filters do not see it

    def expected_after(self, query: Query) -> tuple[str, ...]:
        """Return which clauses may still follow a query."""
        ended = query.values is not None or (query.where.elements and isinstance(query.where.elements[-1], Values))
        return () if ended else ("ORDER BY", "LIMIT", "VALUES")

    def _projection(self) -> tuple[tuple[Variable, ...] | None, list[tuple[Variable, Expression]]]:
        """Parse `*` (None), or variables and `(expression AS ?variable)`."""
        if self.kinds[self.i] == "*":
            self.i += 1
            return None, []
        variables: list[Variable] = []
        computed: list[tuple[Variable, Expression]] = []
        while True:
            kind = self.kinds[self.i]
            if kind == "VAR":
                variables.append(self.variable())
            elif kind == "(":
                at = self.i + 1
                expression, variable = self._named_expression(aggregates=True, required=True)
                assert variable is not None
                if variable in variables:
                    raise self.error(at, f"?{variable.name} is selected already: AS must give a new variable")
                computed.append((variable, expression))
                variables.append(variable)
            elif variables:
                return tuple(variables), computed
            else:
                raise self.unexpected("a variable", "`(`", "`*`")

    def _named_expression(self, *, aggregates: bool, required: bool) -> tuple[Expression, Variable | None]:
        """Parse `(expression AS ?variable)`; unless `required`, the part from AS on may be missing."""
        at = self.expect("(")
        self.enter(at)
        self.count_pattern(at)
        before, self.aggregates = self.aggregates, aggregates
        expression = self.expression()
        self.aggregates = before
        variable = None
        if required or self.kinds[self.i] == "AS":
            self.expect("AS")
            variable = self.variable()
        self.expect(")")
        self.depth -= 1
        return expression, variable

    def _by(self) -> None:
        self.i += 1
        if self.texts[self.i].upper() != "BY":
            raise self.unexpected("BY")
        self.i += 1

    def _is_call(self) -> bool:
        kind = self.kinds[self.i]
        return kind == "WORD" or (kind in ("NAME", "IRI") and self.kinds[self.i + 1] == "(") or self._is_exists()

    def _is_exists(self) -> bool:
        kind = self.kinds[self.i]
        return kind == "EXISTS" or (kind == "NOT" and self.kinds[self.i + 1] == "EXISTS")

    def _constraint(self) -> Expression:
        """Parse an expression that is in brackets, or a call."""
        self.count_pattern(self.i)
        if self.kinds[self.i] == "(":
            return self.bracketed()
        return self.exists() if self._is_exists() else self.call()

    def _group_keys(self, query: Query) -> tuple[GroupKey, ...]:
        self._by()
        keys: list[GroupKey] = []
        used = {*visible_variables(query.where), *(name for name, _ in query.computed)}
        while True:
            at = self.i
            if self.kinds[at] == "VAR":
                keys.append(GroupKey(self.variable()))
            elif self.kinds[at] == "(":
                expression, name = self._named_expression(aggregates=False, required=False)
                if name is not None and name in used:
                    raise self.error(at, f"?{name.name} is already used in this query: AS must give a new variable")
                used |= {name} if name is not None else set()
                keys.append(GroupKey(expression, name))
            elif self._is_call():
                keys.append(GroupKey(self._constraint()))
            elif keys:
                return tuple(keys)
            else:
                raise self.unexpected("a variable", "`(`", "a function call")

    def _having(self) -> tuple[Expression, ...]:
        self.i += 1
        self.aggregates = True
        tests: list[Expression] = []
        while self.kinds[self.i] == "(" or self._is_call():
            tests.append(self._constraint())
        self.aggregates = False
        if not tests:
            raise self.unexpected("`(`", "a function call")
        return tuple(tests)

    def _order_keys(self) -> tuple[OrderKey, ...]:
        self._by()
        self.aggregates = True
        keys: list[OrderKey] = []
        while True:
            direction = self.texts[self.i].upper() if self.kinds[self.i] == "WORD" else ""
            if direction in ("ASC", "DESC"):
                self.i += 1
                self.count_pattern(self.i)
                keys.append(OrderKey(self.bracketed(), direction == "DESC"))
            elif self.kinds[self.i] == "VAR":
                keys.append(OrderKey(self.variable()))
            elif self.kinds[self.i] == "(" or self._is_call():
                keys.append(OrderKey(self._constraint()))
            elif keys:
                self.aggregates = False
                return tuple(keys)
            else:
                raise self.unexpected("ASC", "DESC", "a variable", "`(`", "a function call")

    def _count(self) -> int:
        """Parse the number of LIMIT or OFFSET."""
        self.i += 1
        at = self.expect("INTEGER")
        if len(self.texts[at]) > MAX_COUNT_DIGITS:
            raise self.error(at, f"a count has at most {MAX_COUNT_DIGITS} digits")
        return int(self.texts[at])

    def _check_grouped(self, query: Query, at: int) -> None:
        """Refuse variables that have no one value in a group (SPARQL 1.1, section 11.4)."""
        if query.variables is None:
            raise self.error(at, "SELECT * cannot select groups: name the keys of GROUP BY, and aggregates")
        known = {key.variable or key.expression for key in query.group_by}
        expressions = dict(query.computed)
        for name in query.variables:
            expression = expressions.get(name, name)
            for each in _ungrouped(expression):
                if each not in known:
                    reason = f"?{each.name} is neither a key of GROUP BY nor inside an aggregate"
                    raise self.error(at, reason)
            known.add(name)


def _has_aggregate(expression: Expression) -> bool:
    if isinstance(expression, Call):
        return any(map(_has_aggregate, expression.arguments))
    return isinstance(expression, Aggregate)


def _ungrouped(expression: Expression) -> list[Variable]:
    """Return the variables of an expression that are in no aggregate."""
    if isinstance(expression, Call):
        return [name for argument in expression.arguments for name in _ungrouped(argument)]
    return [expression] if isinstance(expression, Variable) else []
