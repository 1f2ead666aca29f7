-- Goes where it smells best: the smell of food spreads through the maze, and so does the stench of ghosts.

local MOVES = { "N", "E", "S", "W" }
local SCENT = { o = 10, O = 50, F = 100 }
local GHOST, MEAL, PREY = -600, 200, 100 -- a ghost, a ghost while it is invincible, a Pac-Man for it as a ghost
local KEPT = 0.8 -- of a smell, one step on
local REACH, SWEEPS = 16, 6 -- steps that a smell comes from, and how often all smells are spread
local LASTS, MEMORY = 10, 6 -- turns: of a power pellet, and of a ghost out of sight

local walls = io.read("l"):gsub("%s", "")
local side = math.floor(math.sqrt(#walls) + 0.5)

local function square(row, col)
  return row % side * side + col % side
end

local ways, moves = {}, {} -- of each square: its open neighbours, and the moves to them
local scent = {} -- of each square: of what lay there last time; a pellet where it has not been
for row = 0, side - 1 do
  for col = 0, side - 1 do
    local here = square(row, col)
    local closed = tonumber(walls:sub(here + 1, here + 1), 16)
    local around = { square(row - 1, col), square(row, col + 1), square(row + 1, col), square(row, col - 1) }
    ways[here], moves[here], scent[here] = {}, {}, SCENT.o
    for bit, there in ipairs(around) do
      if closed >> (bit - 1) & 1 == 0 then
        table.insert(ways[here], there)
        table.insert(moves[here], MOVES[bit])
      end
    end
  end
end

local stench = {} -- where ghosts were seen: turns since then

-- All squares within reach, the nearest first.
local function within_reach(start)
  local found, steps = { start }, { [start] = 0 }
  for _, here in ipairs(found) do -- which grows meanwhile
    for _, there in ipairs(steps[here] < REACH and ways[here] or {}) do
      if not steps[there] then
        steps[there] = steps[here] + 1
        found[#found + 1] = there
      end
    end
  end
  return found
end

-- What each of these squares smells of: its own scent, the best food nearby, and the mean of the stench around.
local function smells(squares, good, bad)
  local food, reek = {}, {}
  for _ = 1, SWEEPS do
    for k = #squares, 1, -1 do
      local here, best, sum = squares[k], 0, 0
      for _, there in ipairs(ways[here]) do
        best = math.max(best, food[there] or 0)
        sum = sum + (reek[there] or 0)
      end
      food[here] = (good[here] or 0) + KEPT * best
      reek[here] = (bad[here] or 0) + KEPT * sum / #ways[here]
    end
  end
  return food, reek
end

local invincible = 0 -- turns

local function step(line)
  local here, self
  local preys, meals, bad = {}, setmetatable({}, { __index = scent }), {}
  for ghost, age in pairs(stench) do
    stench[ghost] = age < MEMORY and age + 1 or nil
  end
  invincible = math.max(invincible - 1, 0)
  for row, col, what in line:gmatch("(%d+),(%d+)(%a)") do
    local there = square(tonumber(row), tonumber(col))
    if not here then
      here, self = there, what
      invincible = scent[here] == SCENT.O and LASTS or invincible
      scent[here] = 0
    elseif what == "G" then
      stench[there] = 0
    else
      stench[there] = nil
      scent[there] = SCENT[what] or 0
      preys[there] = what == "P" and PREY or nil
    end
  end
  for ghost, age in pairs(stench) do
    if invincible <= 2 then
      bad[ghost] = GHOST / (1 + age)
    elseif age == 0 then
      meals[ghost] = MEAL
    end
  end
  local good = meals
  if self == "G" then
    good, bad = preys, {}
  end
  local food, reek = smells(within_reach(here), good, bad)
  local best, most = "X", -math.huge
  for k, there in ipairs(ways[here]) do
    local value = food[there] + reek[there]
    if value > most then
      best, most = moves[here][k], value
    end
  end
  return best
end

for line in io.lines() do
  if line:sub(1, 1) == "Q" then
    break
  end
  io.write(step(line), "\n")
  io.flush()
end
