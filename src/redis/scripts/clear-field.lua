#!lua flags=allow-oom
-- Removes a field of a hash if it still has the expected value. Allowed if Redis is full.
-- KEYS[1] hash. ARGV: field, value.
-- Returns 1, or 0 if it has another value or does not exist.
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then
  return 0
end
return redis.call('HDEL', KEYS[1], ARGV[1])
