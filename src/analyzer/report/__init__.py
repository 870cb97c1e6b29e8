"""Reports: one result (`document`), many renderings. Nothing here decides anything, and nothing here prints."""
