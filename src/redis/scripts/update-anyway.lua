#!lua flags=allow-oom
-- The same as update-if.lua, even if Redis is full: for what ends something, and what grows by a few bytes at most.
-- KEYS[1] hash. ARGV: a field, its expected value, then field, value, … Returns 1, or 0 if it has changed.
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then
  return 0
end
redis.call('HSET', KEYS[1], unpack(ARGV, 3))
return 1
