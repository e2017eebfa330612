#!lua flags=allow-oom
-- Sets fields of a user while others still have expected values. Never makes a hash. Allowed if Redis is full: a new
-- password ends what others can do.
-- KEYS[1] hash of the user. ARGV: number of the compared fields, each with its expected value (empty: it may be
-- missing), then field, value, … Returns 1, or 0 if one has changed or there is no such user.
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
local first = 2 + 2 * tonumber(ARGV[1])
for nth = 2, first - 1, 2 do
  if (redis.call('HGET', KEYS[1], ARGV[nth]) or '') ~= ARGV[nth + 1] then
    return 0
  end
end
redis.call('HSET', KEYS[1], unpack(ARGV, first))
return 1
