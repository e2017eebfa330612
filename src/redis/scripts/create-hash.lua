-- Writes a whole hash, unless there is one: the first writer wins, a repeat changes nothing.
-- KEYS[1] hash. ARGV: TTL in seconds or 0 for none, then field, value, …
-- Returns 1 if it was written, else 0.
if redis.call('EXISTS', KEYS[1]) == 1 then
  return 0
end
redis.call('HSET', KEYS[1], unpack(ARGV, 2))
if ARGV[1] ~= '0' then
  redis.call('EXPIRE', KEYS[1], ARGV[1])
end
return 1
