"""The formula of a count, as a document has it: its text is made when something prints it."""

from msgspec import Struct

from models.expr import Expr, parse, to_text


class Formula(Struct, frozen=True, eq=False):
    """`held`: the expression, or the text of a report that was read back. Two formulas of one text are equal."""

    held: Expr | str

    @property
    def text(self) -> str:
        """What JSON has. Example: `max(0, n - 2)`."""
        return self.held if isinstance(self.held, str) else to_text(self.held)

    @property
    def expr(self) -> Expr:
        """ExprSyntaxError for a text that is none, of a report that was changed."""
        return parse(self.held) if isinstance(self.held, str) else self.held

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Formula) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)
