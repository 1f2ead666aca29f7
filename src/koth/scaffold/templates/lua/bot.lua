-- «title»: a first bot, which plays anything that is allowed.
--
-- This page is all there is to write.
-- Print to stderr (io.stderr:write): koth reads stdout.

package.path = arg[0]:match("^(.-)[^/]*$") .. "?.lua;" .. package.path
local koth = require("koth")
<% for shape in picked %>

local «upper(shape.name)» = {
<% for value in shape.values %>
  "«value»",
<% endfor %>
}
<% endfor %>

-- One of these, all alike.
local function pick(all)
  return all[math.random(#all)]
end

local Mine = {}
Mine.__index = Mine

-- hello tells what is the same for the whole match:
<% for row in match_info %>
--   «row»
<% endfor %>
local function new_bot(hello)
  math.randomseed(hello.seed)
  return setmetatable({ hello = hello }, Mine)
end
<% for each in asked %>

-- «each.doc»
<% for title, rows in tables(each) %>
--
-- «title»:
<% for row in rows %>
--   «row»
<% endfor %>
<% endfor %>
function Mine:answer_«each.name»(question)
  local answer = {}
<% for member in each.answer.members %>
<% if kind(member.shape) == "ByNumber" %>
  answer["«member.key»"] = {}
  for _, «unit(each)» in ipairs(question["«each.units.key»"]) do
    answer["«member.key»"][«unit(each)»«"." + each.label if each.label»] = «value(member.shape.value, each.example[member.key].values()|first)»
  end
<% else %>
  answer["«member.key»"] = «value(member.shape, each.example[member.key])»
<% endif %>
<% endfor %>
  return answer
end
<% endfor %>

koth.play(new_bot)
