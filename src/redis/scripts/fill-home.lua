-- Adds many tweets to one home timeline, which must exist, and says from where on it is complete.
-- KEYS[1] zset: the home timeline. ARGV: keep, floor, then stamp, tweet id, …
-- A floor of +inf (nothing known yet) becomes `floor`; any other floor can only rise.
-- Returns 1, or 0 if there is no such timeline.
local home, keep, floor = KEYS[1], tonumber(ARGV[1]), ARGV[2]
local known = redis.call('ZSCORE', home, 'floor')
if not known then
  return 0
end
for first = 3, #ARGV, 1000 do
  redis.call('ZADD', home, unpack(ARGV, first, math.min(first + 999, #ARGV)))
end
if tonumber(known) == math.huge then
  redis.call('ZADD', home, floor, 'floor')
else
  redis.call('ZADD', home, 'GT', floor, 'floor')
end
-- At `keep` or more something may have been cut meanwhile by a delivery: what is lower is not known.
if redis.call('ZCARD', home) >= keep then
  redis.call('ZREMRANGEBYRANK', home, 0, -keep - 1)
  local oldest = redis.call('ZRANGE', home, 0, 1, 'WITHSCORES')
  local lowest = oldest[1] == 'floor' and oldest[4] or oldest[2]
  redis.call('ZADD', home, 'GT', lowest, 'floor')
end
return 1
