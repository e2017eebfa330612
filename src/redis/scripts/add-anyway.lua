#!lua flags=allow-oom
-- Adds to a sorted set even in a full memory: for what protects a user, such as a block.
-- KEYS[1] zset. ARGV: what ZADD takes. Returns how many were added.
return redis.call('ZADD', KEYS[1], unpack(ARGV))
