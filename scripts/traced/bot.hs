import Control.Concurrent
import Control.Exception
import Control.Monad
import System.CPUTime
import System.IO
main :: IO ()
main = do
  hSetBuffering stdout LineBuffering
  dones <- forM [1 .. 4 :: Int] $ \n -> do { done <- newEmptyMVar; _ <- forkIO (do { print (sum [1 .. 300000 * n]); putMVar done () }); pure done }
  mapM_ takeMVar dones
  _ <- try (writeFile "/nowhere/x" "") :: IO (Either IOException ())
  _ <- readFile "bot.hs" >>= evaluate . length
  threadDelay 1000
  text <- getContents
  forM_ (lines text) $ \line -> do { t <- getCPUTime; putStrLn (line ++ show t) }
