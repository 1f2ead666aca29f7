"""Diagnostics: reruns of recorded matches, reasons why a bot failed, and checks of the record."""
