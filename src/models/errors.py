"""The one error that is the user's to mend."""


class InputError(ValueError):
    """Input that cannot be used as it is: the message alone tells the user what to change. The command exits with 2."""


def reason(error: Exception) -> str:
    """Why a file cannot be read or written, without numbers of the system and without its name."""
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start} is not UTF-8"
    return getattr(error, "strerror", None) or str(error)
