-- | JSON, and the loop of messages between koth and a bot. It need not be changed: the page to write is bot.hs.
module Koth
  ( Json (..), (!), has, items, whole, real, text, truth
  , Dice, newDice, below, pick
  , play
  ) where

import Data.Char (chr, isSpace)
import Data.IORef
import Data.List (intercalate)
import Data.Maybe (fromMaybe, isJust)
import Data.Word (Word64)
import Data.Bits (shiftR, xor)
import Numeric (readHex)
import System.IO

-- | A JSON value. Answers are made of the same.
data Json
  = Null
  | Truth Bool
  | Whole Integer
  | Real Double
  | Text String
  | List [Json]
  | Object [(String, Json)]
  deriving (Eq, Show)

-- | The value of a key, which must be there.
(!) :: Json -> String -> Json
json ! key = fromMaybe (error ("no " ++ show key ++ " in " ++ show json)) (find key json)

-- | Whether a key is there.
has :: String -> Json -> Bool
has key = isJust . find key

find :: String -> Json -> Maybe Json
find key (Object pairs) = lookup key pairs
find _ _ = Nothing

items :: Json -> [Json]
items (List found) = found
items other = error ("no list: " ++ show other)

whole :: Json -> Integer
whole (Whole number) = number
whole other = error ("no whole number: " ++ show other)

real :: Json -> Double
real (Real number) = number
real other = fromInteger (whole other)

text :: Json -> String
text (Text found) = found
text other = error ("no text: " ++ show other)

truth :: Json -> Bool
truth = (== Truth True)

-- | Dice that follow from a seed.
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

-- | One of these, all alike.
pick :: Dice -> [a] -> IO a
pick dice these = (these !!) <$> below dice (length these)

-- | Plays one match, from koth's hello to its goodbye. A bot is made of what it is told first; it answers each
-- question by its name.
play :: (Json -> IO (String -> Json -> IO [(String, Json)])) -> IO ()
play newBot = do
  hSetEncoding stdin utf8
  hSetEncoding stdout utf8
  hello <- parse <$> getLine
  answer <- newBot (hello ! "hello")
  say (Object [("ready", Truth True)])
  let loop = do
        message <- parse <$> getLine
        if has "bye" message
          then return ()
          else do
            said <- answer (text (message ! "question")) message
            say (Object (("ask", message ! "ask") : said))
            loop
  loop

say :: Json -> IO ()
say json = putStrLn (written json) >> hFlush stdout

written :: Json -> String
written Null = "null"
written (Truth it) = if it then "true" else "false"
written (Whole number) = show number
written (Real number) = show number
written (Text letters) = "\"" ++ concatMap escaped letters ++ "\""
  where
    escaped letter = if letter `elem` "\"\\" then ['\\', letter] else [letter]
written (List found) = "[" ++ intercalate "," (map written found) ++ "]"
written (Object pairs) = "{" ++ intercalate "," [written (Text key) ++ ":" ++ written it | (key, it) <- pairs] ++ "}"

parse :: String -> Json
parse = fst . value

value :: String -> (Json, String)
value input = case dropWhile isSpace input of
  '{' : rest -> let (pairs, after) = several '}' pair rest in (Object pairs, after)
  '[' : rest -> let (found, after) = several ']' value rest in (List found, after)
  '"' : rest -> let (letters, after) = string rest in (Text letters, after)
  rest -> let (word, after) = break (`elem` ",]} \t\r\n") rest in (named word, after)

named :: String -> Json
named "null" = Null
named "true" = Truth True
named "false" = Truth False
named word = if any (`elem` ".eE") word then Real (read word) else Whole (read word)

pair :: String -> ((String, Json), String)
pair input =
  let (key, rest) = string (drop 1 (dropWhile isSpace input))
      (it, after) = value (drop 1 (dropWhile isSpace rest)) -- without the colon
   in ((key, it), after)

several :: Char -> (String -> (a, String)) -> String -> ([a], String)
several end one input = case dropWhile isSpace input of
  letter : rest | letter == end -> ([], rest)
  ',' : rest -> several end one rest
  rest ->
    let (first, after) = one rest
        (others, left) = several end one after
     in (first : others, left)

string :: String -> (String, String)
string ('"' : rest) = ("", rest)
string ('\\' : 'u' : rest) = before (chr (fst (head (readHex (take 4 rest))))) (string (drop 4 rest))
string ('\\' : letter : rest) = before (fromMaybe letter (lookup letter (zip "nrtbf" "\n\r\t\b\f"))) (string rest)
string (letter : rest) = before letter (string rest)
string "" = error "a text without an end"

before :: Char -> (String, String) -> (String, String)
before letter (letters, rest) = (letter : letters, rest)
