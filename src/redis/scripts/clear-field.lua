#!lua flags=allow-oom
-- Removes a field of a hash if it still holds what the caller thinks. Allowed in a full memory.
-- KEYS[1] hash. ARGV: field, value. Returns 1, or 0 if it holds something else or nothing.
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then
  return 0
end
return redis.call('HDEL', KEYS[1], ARGV[1])
