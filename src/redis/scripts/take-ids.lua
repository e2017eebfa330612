-- Hands out ids, above all that the caller knows: a counter that is below them went back, as a replica
-- that lagged does when it takes over, and skips as many more as may have gone with it.
-- KEYS[1] counter. ARGV: highest id that the caller knows, how many ids, how many to skip.
-- Returns the last of the ids; for none, where the counter stands.
local known = tonumber(ARGV[1])
if tonumber(redis.call('GET', KEYS[1]) or '0') < known then
  redis.call('SET', KEYS[1], string.format('%.0f', known + tonumber(ARGV[3])))
end
return redis.call('INCRBY', KEYS[1], ARGV[2])
