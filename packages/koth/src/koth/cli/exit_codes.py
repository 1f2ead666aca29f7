"""The table of exit codes."""

OK = 0
NO = 1
FAILED = 2
INCOMPLETE = 3
ALIKE = 4
BUG = 70
INTERRUPTED = 130

MEANINGS = {
    OK: "Done, and all is well: the new bot is better, the bot has no fault, the replay agrees.",
    NO: "Done, and the answer is no: compare (OLD is better), check (faults), verify (differences), "
    "list (a broken bot).",
    FAILED: "Not done: a wrong word, an input that can't be used, a full disk. One line on stderr names the cause.",
    INCOMPLETE: "Not complete: matches that could not be played or whose reports disagree (run, resume), a lost "
    "cluster, no verdict (compare).",
    ALIKE: "Done, and there is no difference: compare (both play alike on all boards, no difference is larger than "
    "--margin, or both are the same bot).",
    BUG: "A bug in koth: its traceback is on stderr.",
    INTERRUPTED: "Interrupted by Ctrl-C or SIGTERM. koth resume continues a contest.",
}
"""Meanings by exit code, as `koth --help` and docs/commands.md list them."""
