-- Adds a member to a sorted set, unless it is there, and renews the set's life: in one step, so that no set
-- is left without an end.
-- KEYS[1] zset. ARGV: score, member, life in seconds. Returns how many members were added.
local added = redis.call('ZADD', KEYS[1], 'NX', ARGV[1], ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[3])
return added
