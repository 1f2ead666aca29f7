"""The program that starts every bot in Python: koth's adapter (`bot_adapter.py`).

python -s -S start.py [--preload=LIBRARY ...] [--game GAME_MODULE GAME_FOLDER] BOT_FILE [WORD ...]

Python does not cache the compiled file of a script; compiling the adapter would take a quarter of a bot's start.
"""

import importlib.machinery
import sys

sys.path.pop(0)  # the folder of this file: bots must not import its modules
__loader__ = importlib.machinery.SourceFileLoader("__main__", __file__.replace("start.py", "bot_adapter.py"))
exec(__loader__.get_code("__main__"))  # type: ignore[arg-type]
