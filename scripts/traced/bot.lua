local t = {} for i = 1, 1e6 do t[i] = {i} end t = nil collectgarbage() io.open("bot.lua"):close() io.open("/nowhere/x", "w")
for line in io.lines() do print(line, os.time(), os.clock(), math.random()) io.flush() end
