"""An author that is a script: in each round it sends the next of some of zombies' samples, named in order.

python climber.py coward hermit wall_builder
"""

import shutil
import sys
from pathlib import Path

from koth.discovery.samples import sample_path

notes = Path("step.txt")  # what lies in the folder stays there from round to round
step = int(notes.read_text()) if notes.exists() else 0
name = sys.argv[1:][min(step, len(sys.argv) - 2)]
shutil.copy(sample_path("zombies", name), "bot/bot.py")
notes.write_text(str(step + 1))
print(f"step {step + 1}: {name}")
