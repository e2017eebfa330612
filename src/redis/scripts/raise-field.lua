#!lua flags=allow-oom
-- Raises a number in a hash that exists; it never goes back. Allowed in a full memory.
-- KEYS[1] hash. ARGV: field, number. Returns 1 if it was raised, else 0.
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
local present = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or '0')
if present >= tonumber(ARGV[2]) then
  return 0
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1
