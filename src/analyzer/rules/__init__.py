"""The rules that findings name, and their pages."""
