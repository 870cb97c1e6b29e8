"""What stops an analysis: the input is at fault, and the user is told what, where and what to do."""

from .places import Place


class InputError(Exception):
    """An input that cannot be read at all. One sentence says what is wrong and what to do about it."""

    def __init__(self, message: str, place: Place | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.place = place

    def __str__(self) -> str:
        if self.place is None:
            return self.message
        return f"{self.place if self.place.line else self.place.path}: {self.message}"
