#!lua flags=allow-oom
-- Takes a field out of a hash if it still has this value. Allowed in a full memory: it makes room.
-- KEYS[1] hash. ARGV: field, value. Returns 1, or 0 if it has another value or none.
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then
  return 0
end
return redis.call('HDEL', KEYS[1], ARGV[1])
