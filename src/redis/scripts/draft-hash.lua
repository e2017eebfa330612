-- Writes a whole hash with a TTL, unless it exists.
-- KEYS[1] hash. ARGV: TTL in seconds, then field, value, …
-- Returns 1 if it was written, else 0.
if redis.call('EXISTS', KEYS[1]) == 1 then
  return 0
end
redis.call('HSET', KEYS[1], unpack(ARGV, 2))
redis.call('EXPIRE', KEYS[1], ARGV[1])
return 1
