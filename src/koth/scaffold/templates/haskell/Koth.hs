-- | JSON, and the loop of messages between koth and a bot. It need not be changed: the page to write is bot.hs.
module Koth
  ( Json (..), join, (!), has, items, whole, real, text, truth, list, object, each
  , Dice, newDice, below, pick
  , play
  ) where

import Control.Monad (join)
import Data.Bits (shiftR, xor)
import Data.Char (chr)
import Data.IORef
import Data.List (intercalate)
import Data.Maybe (fromMaybe, isJust)
import Data.Word (Word64)
import Numeric (readHex)
import System.IO

-- | A JSON value. A word is a number, true, false or null as it is written.
data Json = Word String | Text String | List [Json] | Object [(String, Json)]
  deriving (Eq, Show)

-- | The value of a key, which must be there.
(!) :: Json -> String -> Json
json ! key = fromMaybe (error ("no " ++ show key ++ " in " ++ show json)) (find key json)

-- | Whether a key is there.
has :: String -> Json -> Bool
has key = isJust . find key

find :: String -> Json -> Maybe Json
find key (Object members) = lookup key members
find _ _ = Nothing

-- | A value as what it is known to be: a list, a text, a number, a truth. An error for other kinds.
items :: Json -> [Json]
items (List found) = found
items other = error ("no list: " ++ show other)

text :: Json -> String
text (Text found) = found
text (Word found) = found
text other = error ("no text: " ++ show other)

whole :: Json -> Integer
whole = read . text

real :: Json -> Double
real = read . text

truth :: Json -> Bool
truth = (== Word "true")

-- | A list, and an object, of values that may be drawn at random.
list :: [IO Json] -> IO Json
list = fmap List . sequence

object :: [(String, IO Json)] -> IO Json
object members = Object . zip (map fst members) <$> mapM snd members

-- | An answer for each unit of a list, by the unit's number.
each :: Json -> (Json -> Json) -> IO Json -> IO Json
each units number one = object [(text (number unit), one) | unit <- items units]

-- | Dice that follow from a seed, so that a match can be repeated.
type Dice = IORef Word64

newDice :: Integer -> IO Dice
newDice = newIORef . fromInteger

-- | A whole number from 0 up to this, itself left out.
below :: Dice -> Int -> IO Int
below dice count = do
  state <- (+ 0x9e3779b97f4a7c15) <$> readIORef dice
  writeIORef dice state
  let one = (state `xor` shiftR state 30) * 0xbf58476d1ce4e5b9
      two = (one `xor` shiftR one 27) * 0x94d049bb133111eb
  return (fromIntegral ((two `xor` shiftR two 31) `mod` fromIntegral count))

pick :: Dice -> [a] -> IO a
pick dice values = (values !!) <$> below dice (length values)

-- | Play one match with a bot that is made of hello.
play :: (Json -> IO (String -> Json -> IO Json)) -> IO ()
play newBot = do
  hSetEncoding stdin utf8
  hSetEncoding stdout utf8
  hello <- fst . value <$> getLine
  answer <- newBot (hello ! "hello")
  say (Object [("ready", Word "true")])
  let loop = do
        message <- fst . value <$> getLine
        if has "bye" message
          then return ()
          else do
            said <- answer (text (message ! "question")) message
            let Object members = said
            say (Object (("ask", message ! "ask") : members))
            loop
  loop

say :: Json -> IO ()
say json = putStrLn (written json) >> hFlush stdout

written :: Json -> String
written (Word word) = word
written (Text letters) = "\"" ++ concatMap escaped letters ++ "\""
  where
    escaped letter = if letter `elem` "\"\\" then ['\\', letter] else [letter]
written (List found) = "[" ++ intercalate "," (map written found) ++ "]"
written (Object members) = "{" ++ intercalate "," [written (Text key) ++ ":" ++ written it | (key, it) <- members] ++ "}"

-- | The value at the beginning of a JSON text, and what follows it.
value :: String -> (Json, String)
value input = case separated input of
  '{' : rest -> let (members, after) = several member rest in (Object members, after)
  '[' : rest -> let (found, after) = several value rest in (List found, after)
  '"' : rest -> let (letters, after) = string rest in (Text letters, after)
  rest -> let (word, after) = break (`elem` ",]} \t\r\n") rest in (Word word, after)

separated :: String -> String
separated = dropWhile (`elem` " ,:\t\r\n")

member :: String -> ((String, Json), String)
member input =
  let (key, rest) = string (drop 1 (separated input))
      (it, after) = value rest
   in ((key, it), after)

several :: (String -> (a, String)) -> String -> ([a], String)
several one input = case separated input of
  end : rest | end `elem` "]}" -> ([], rest)
  rest ->
    let (first, after) = one rest
        (others, left) = several one after
     in (first : others, left)

string :: String -> (String, String)
string ('"' : rest) = ("", rest)
string ('\\' : 'u' : rest) = before (chr (fst (head (readHex (take 4 rest))))) (string (drop 4 rest))
string ('\\' : letter : rest) = before (fromMaybe letter (lookup letter (zip "nrtbf" "\n\r\t\b\f"))) (string rest)
string (letter : rest) = before letter (string rest)
string "" = error "a text without an end"

before :: Char -> (String, String) -> (String, String)
before letter (letters, rest) = (letter : letters, rest)
