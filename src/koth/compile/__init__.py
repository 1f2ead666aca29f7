"""Compilation of rules: wide copies, and the same rules without a compiler."""
