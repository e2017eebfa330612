-- Sets a field of a hash that exists; nothing is made of one that does not.
-- KEYS[1] hash. ARGV: field, value. Returns 1, or 0 if there is no such hash.
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1
