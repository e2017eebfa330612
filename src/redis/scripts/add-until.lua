-- Adds a member with an end to a sorted set, unless the set is full. Members whose end has passed are removed
-- first; an existing member gets its new end.
-- KEYS[1] zset: member → stamp of its end. ARGV: stamp of now, member, stamp of its end or +inf, max members.
-- Returns 1, or 0 if the set is full.
local set, now, member, till, limit = KEYS[1], ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
redis.call('ZREMRANGEBYSCORE', set, '-inf', now)
if redis.call('ZCARD', set) >= limit and not redis.call('ZSCORE', set, member) then
  return 0
end
redis.call('ZADD', set, till, member)
return 1
