-- Gives out ids above all that the caller knows. A lower counter went back, as when a lagging replica takes
-- over: then it also skips as many ids as may have been lost.
-- KEYS[1] counter. ARGV: highest id that the caller knows, number of ids, ids to skip.
-- Returns the last of the ids; without any, the counter's value.
local known = tonumber(ARGV[1])
if tonumber(redis.call('GET', KEYS[1]) or '0') < known then
  redis.call('SET', KEYS[1], string.format('%.0f', known + tonumber(ARGV[3])))
end
return redis.call('INCRBY', KEYS[1], ARGV[2])
