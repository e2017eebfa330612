#!lua flags=allow-oom
-- Sets fields of a hash that exists; nothing is made of one that does not. Allowed in a full memory: what is
-- removed there has its counts and marks set.
-- KEYS[1] hash. ARGV: field, value, … Returns 1, or 0 if there is no such hash.
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
redis.call('HSET', KEYS[1], unpack(ARGV))
return 1
