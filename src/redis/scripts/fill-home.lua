-- Adds tweets to one home timeline, complete above `floor`. Running twice changes nothing.
-- KEYS[1] zset: the home timeline. ARGV: cap, keep, 'all' or 'some', floor, then stamp, tweet id, …
-- 'all': the tweets of all followings of the owner; 'some': of one of them. A higher floor stays.
-- Past `cap` members the timeline is cut to its newest `keep`, its floor rises to the oldest kept, and it is written
-- anew: only that makes it compact again.
-- Returns 'filled'; 'absent' if there is no such timeline; 'unfilled' if its floor is still +inf, which 'some'
-- tweets cannot change. In these two cases nothing is written.
local home, cap, keep = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local whose, floor = ARGV[3], ARGV[4]
local known = redis.call('ZSCORE', home, 'floor')
if not known then
  return 'absent'
end
local unfilled = tonumber(known) == math.huge
if unfilled and whose == 'some' then
  return 'unfilled'
end
if not unfilled and tonumber(known) > tonumber(floor) then
  floor = known
end
for index = 5, #ARGV, 2 do
  if tonumber(ARGV[index]) >= tonumber(floor) then
    redis.call('ZADD', home, ARGV[index], ARGV[index + 1])
  end
end
redis.call('ZADD', home, floor, 'floor')
-- While it was unfilled, a delivery may have cut it without raising a floor: older tweets may be missing.
local size = redis.call('ZCARD', home)
if size > cap or (unfilled and size >= keep) then
  redis.call('ZREM', home, 'floor')
  redis.call('ZREMRANGEBYRANK', home, 0, -keep)
  local oldest = redis.call('ZRANGE', home, 0, 0, 'WITHSCORES')[2]
  redis.call('ZADD', home, tonumber(oldest) > tonumber(floor) and oldest or floor, 'floor')
  -- See deliver.lua.
  local dump = redis.pcall('DUMP', home)
  if type(dump) == 'string' then
    redis.pcall('RESTORE', home, math.max(0, redis.call('PTTL', home)), dump, 'REPLACE')
  end
end
return 'filled'
