#!lua flags=allow-oom
-- Replaces a whole hash; of several writers, each learns which one it replaced. Allowed if Redis is full: reports that
-- are decided move from one hash to another.
-- KEYS[1] hash. ARGV: a field, TTL in seconds (0: none), then field, value, …
-- Returns the earlier value of that field, or nil.
local earlier = redis.call('HGET', KEYS[1], ARGV[1])
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], unpack(ARGV, 3))
if tonumber(ARGV[2]) > 0 then
  redis.call('EXPIRE', KEYS[1], ARGV[2])
end
return earlier
