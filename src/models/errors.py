"""The one error that is the user's to mend."""


class InputError(ValueError):
    """Input that cannot be used as it is: the message alone tells the user what to change. The command exits with 2."""
