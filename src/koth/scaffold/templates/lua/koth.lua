-- JSON, and the loop of messages between koth and a bot. It need not be changed: the page to write is bot.lua.

local koth = {}

-- --- JSON: objects and lists are tables, null is koth.null

koth.null = setmetatable({}, { __tostring = function() return "null" end })

local List = {}

-- A table that is written as a list, even when it is empty.
function koth.list(items)
  return setmetatable(items, List)
end

local ESCAPES = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t" }

local function read_string(text, at)
  local parts = {}
  at = at + 1
  while true do
    local plain, stop = text:match('^([^"\\]*)()', at)
    parts[#parts + 1] = plain
    at = stop
    if text:sub(at, at) == '"' then
      return table.concat(parts), at + 1
    end
    local letter = text:sub(at + 1, at + 1)
    if letter == "u" then
      parts[#parts + 1] = utf8.char(tonumber(text:sub(at + 2, at + 5), 16))
      at = at + 6
    else
      parts[#parts + 1] = ESCAPES[letter] or letter
      at = at + 2
    end
  end
end

local read_value

local function read_table(text, at, close)
  local found = close == "]" and koth.list({}) or {}
  at = text:match("^%s*()", at + 1)
  while text:sub(at, at) ~= close do
    local key = #found + 1
    if close == "}" then
      key, at = read_string(text, at)
      at = text:match("^%s*:%s*()", at)
    end
    found[key], at = read_value(text, at)
    at = text:match("^%s*,?%s*()", at)
  end
  return found, at + 1
end

local WORDS = { ["true"] = true, ["false"] = false, null = koth.null }

function read_value(text, at)
  local first = text:sub(at, at)
  if first == "{" then
    return read_table(text, at, "}")
  elseif first == "[" then
    return read_table(text, at, "]")
  elseif first == '"' then
    return read_string(text, at)
  end
  local word, stop = text:match("^([%w+.-]+)()", at)
  if WORDS[word] ~= nil then
    return WORDS[word], stop
  end
  return tonumber(word), stop
end

-- The value that a JSON text stands for.
function koth.read(text)
  return (read_value(text, text:match("^%s*()")))
end

-- A value as JSON.
function koth.written(value)
  if type(value) == "string" then
    return '"' .. value:gsub('[%c"\\]', function(c) return ("\\u%04x"):format(c:byte()) end) .. '"'
  elseif type(value) ~= "table" or value == koth.null then
    return tostring(value)
  end
  local parts = {}
  if getmetatable(value) == List then
    for _, one in ipairs(value) do
      parts[#parts + 1] = koth.written(one)
    end
    return "[" .. table.concat(parts, ",") .. "]"
  end
  for key, one in pairs(value) do
    parts[#parts + 1] = koth.written(tostring(key)) .. ":" .. koth.written(one)
  end
  return "{" .. table.concat(parts, ",") .. "}"
end

-- --- a match

-- Plays one match, from koth's hello to its goodbye: makes a bot of what it is told first, and asks it.
function koth.play(new_bot)
  local bot
  io.stdout:setvbuf("line")
  for line in io.lines() do
    local message = koth.read(line)
    local answer = { ready = true }
    if message.bye then
      return
    elseif message.hello then
      bot = new_bot(message.hello)
    else
      answer = bot["answer_" .. message.question](bot, message)
      answer.ask = message.ask
    end
    io.write(koth.written(answer), "\n")
  end
end

return koth
