-- «title»: a first bot, whose answers are legal and drawn at random. Write better ones.
module Main (main) where

import Koth

«choices»

main :: IO ()
main = play newBot

-- | A bot in one match. koth reads stdout: print to stderr (hPutStrLn stderr).
newBot :: Json -> IO (String -> Json -> IO Json)
newBot hello = do
  -- What holds for the whole match:
  --   «hello»
  dice <- newDice (whole (hello ! "seed"))
  return (answer dice)

answer :: Dice -> String -> Json -> IO Json
«questions»
-- «about»
answer dice "«name»" question =
  «answer»
«end»
answer _ name _ = error ("no question of this game: " ++ name)
