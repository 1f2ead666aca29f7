-- JSON, and the loop of messages between koth and a bot. It need not be changed: the page to write is bot.lua.

local koth = {}

-- Objects and lists are tables, null is koth.null.
koth.null = setmetatable({}, { __tostring = function() return "null" end })

local List = {}

-- Mark a table as one that is written as a list, even when it is empty.
function koth.list(items)
  return setmetatable(items, List)
end

-- Make an answer for each unit of a list, by the unit's number.
function koth.each(units, number, answer)
  local answers = {}
  for _, unit in ipairs(units) do
    answers[number(unit)] = answer()
  end
  return answers
end

local ESCAPES = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t" }
local WORDS = { ["true"] = true, ["false"] = false, null = koth.null }

local function read_string(text, at)
  local stop = at
  repeat
    stop = text:find('["\\]', stop) + 1
    local escaped = text:byte(stop - 1) == 92
    stop = escaped and stop + 1 or stop
  until not escaped
  local found = text:sub(at, stop - 2)
  found = found:gsub("\\u(%x%x%x%x)", function(code) return utf8.char(tonumber(code, 16)) end)
  return found:gsub("\\(.)", function(letter) return ESCAPES[letter] or letter end), stop
end

-- Return the value that begins at a place of a JSON text, and where it ends.
local function read(text, at)
  at = text:match("^[%s,:]*()", at)
  local first = text:sub(at, at)
  if first == '"' then
    return read_string(text, at + 1)
  elseif first ~= "{" and first ~= "[" then
    local word, stop = text:match("^([%w+.-]+)()", at)
    if WORDS[word] == nil then
      return tonumber(word), stop
    end
    return WORDS[word], stop
  end
  local found, key = first == "[" and koth.list({}) or {}, nil
  at = at + 1
  while not text:match("^[%s,]*[%]}]", at) do
    if first == "{" then
      key, at = read(text, at)
    else
      key = #found + 1
    end
    found[key], at = read(text, at)
  end
  return found, text:match("^[%s,]*[%]}]()", at)
end

local function written(value)
  if type(value) == "string" then
    return '"' .. value:gsub('[%c"\\]', function(c) return ("\\u%04x"):format(c:byte()) end) .. '"'
  elseif type(value) ~= "table" or value == koth.null then
    return tostring(value)
  end
  local parts = {}
  if getmetatable(value) == List then
    for _, one in ipairs(value) do
      parts[#parts + 1] = written(one)
    end
    return "[" .. table.concat(parts, ",") .. "]"
  end
  for key, one in pairs(value) do
    parts[#parts + 1] = written(tostring(key)) .. ":" .. written(one)
  end
  return "{" .. table.concat(parts, ",") .. "}"
end

-- Play one match with a bot that new_bot makes of hello.
function koth.play(new_bot)
  local bot
  io.stdout:setvbuf("line")
  for line in io.lines() do
    local message = read(line, 1)
    local answer = { ready = true }
    if message.bye then
      return
    elseif message.hello then
      bot = new_bot(message.hello)
    else
      answer = bot["answer_" .. message.question](bot, message)
      answer.ask = message.ask
    end
    io.write(written(answer), "\n")
  end
end

return koth
