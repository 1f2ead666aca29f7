#!/bin/sh
# usage: fetch-kit.sh CLONE   (of github.com/aichallenge/aichallenge): copies the engine and nine small maps, unchanged
set -e
to=$(dirname "$0")/koth_ants/kit
mkdir -p "$to/maps"
cp "$1/ants/ants.py" "$1/ants/game.py" "$to"
for map in random_walk_p02_32 random_walk_p02_54 cell_maze_p02_06 cell_maze_p03_26 cell_maze_p03_25 cell_maze_p03_10 \
    maze_p04_33 maze_p04_27 cell_maze_p04_05; do
  cp "$1"/ants/maps/*/$map.map "$to/maps"
done
