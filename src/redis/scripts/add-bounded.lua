-- Adds a member to a sorted set, unless the set is full. Members whose score has passed are removed first; an
-- existing member gets its new score.
-- KEYS[1] zset. ARGV: score up to which members have passed, member, its score or +inf, max members.
-- Returns 1, or 0 if the set is full.
local set, passed, member, score, most = KEYS[1], ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
redis.call('ZREMRANGEBYSCORE', set, '-inf', passed)
if redis.call('ZCARD', set) >= most and not redis.call('ZSCORE', set, member) then
  return 0
end
redis.call('ZADD', set, score, member)
return 1
