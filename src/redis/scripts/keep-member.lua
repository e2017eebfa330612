-- Adds a member to a sorted set, unless it is there, and renews the set's TTL: in one step, so that no set is
-- left without a TTL.
-- KEYS[1] zset. ARGV: score, member, TTL in seconds.
-- Returns how many members were added.
local added = redis.call('ZADD', KEYS[1], 'NX', ARGV[1], ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[3])
return added
