#!lua flags=allow-oom
-- Sets fields of an existing hash; never makes one. Allowed if Redis is full: removals set counts and marks, and
-- settings are short.
-- KEYS[1] hash. ARGV: field, value, …
-- Returns 1, or 0 if there is no such hash.
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
redis.call('HSET', KEYS[1], unpack(ARGV))
return 1
