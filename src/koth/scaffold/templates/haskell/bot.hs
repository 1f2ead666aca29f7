-- «title»: a first bot, which plays anything that is allowed.
--
-- This page is all there is to write.
-- What can be asked of a Json stands in Koth.hs. Print to stderr (hPutStrLn stderr): koth reads stdout.
module Main (main) where

import Control.Monad (forM)
import Koth
<% for shape in picked %>

«camel(shape.name)»s :: [Json]
«camel(shape.name)»s = map Text
<% for value in shape.values %>
  «"[" if loop.first else ","» "«value»"
<% endfor %>
  ]
<% endfor %>

main :: IO ()
main = play newBot

-- hello tells what is the same for the whole match:
<% for row in match_info %>
--   «row»
<% endfor %>
newBot :: Json -> IO (String -> Json -> IO [(String, Json)])
newBot hello = do
  dice <- newDice (whole (hello ! "seed"))
  return $ \name question -> case name of
<% for each in asked %>
    "«each.name»" -> «method(each)» dice question
<% endfor %>
    _ -> error ("no question of this game: " ++ name)
<% for each in asked %>

-- «each.doc»
<% for title, rows in tables(each) %>
--
-- «title»:
<% for row in rows %>
--   «row»
<% endfor %>
<% endfor %>
«method(each)» :: Dice -> Json -> IO [(String, Json)]
«method(each)» dice «"question" if each.units else "_"» = do
<% for member in each.answer.members %>
<% if kind(member.shape) == "ByNumber" %>
  «field(member.key)» <- forM (items (question ! "«each.units.key»")) $ \«unit(each)» -> do
    it <- «value(member.shape.value, each.example[member.key].values()|first)»
    return (show (whole «'(%s ! "%s")' % (unit(each), each.label) if each.label else unit(each)»), it)
<% else %>
  «field(member.key)» <- «value(member.shape, each.example[member.key])»
<% endif %>
<% endfor %>
  return [
<%- for member in each.answer.members -%>
<% if not loop.first %>, <% endif %>("«member.key»", «"Object " if kind(member.shape) == "ByNumber"»«field(member.key)»)
<%- endfor -%>
]
<% endfor %>
