"""Diagnostics: recorded matches asked again, reasons why a bot failed, checks of the record."""
