-- «title»: a first bot, whose answers are legal and drawn at random. Write better ones.

package.path = arg[0]:match("^(.-)[^/]*$") .. "?.lua;" .. package.path
local koth = require("koth")

«choices»

local function pick(values)
  return values[math.random(#values)]
end

-- A bot in one match. koth reads stdout: print to stderr (io.stderr:write).
local Bot = {}
Bot.__index = Bot

local function new_bot(hello)
  -- What holds for the whole match:
  --   «hello»
  math.randomseed(hello.seed)
  return setmetatable({ hello = hello }, Bot)
end
«questions»

function Bot:answer_«name»(question)
  -- «about»
  return «answer»
end
«end»

koth.play(new_bot)
