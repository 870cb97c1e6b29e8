"""The command `analyze`: arguments, checks of what they name, output."""
