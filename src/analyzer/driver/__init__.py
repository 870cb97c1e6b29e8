"""From inputs to a document: one file after the other or in workers, then all results joined."""
