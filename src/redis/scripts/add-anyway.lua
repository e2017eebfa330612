#!lua flags=allow-oom
-- Adds to a sorted set even if Redis is full: for what protects a user, such as a block, and
-- what belongs to a removal.
-- KEYS[1] zset. ARGV: arguments of ZADD.
-- Returns how many were added.
return redis.call('ZADD', KEYS[1], unpack(ARGV))
