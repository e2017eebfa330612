-- Writes a whole hash, unless there is one: the first writer wins, a repeat changes nothing.
-- KEYS[1] hash. ARGV: field, value, … Returns 1 if it was written, else 0.
if redis.call('EXISTS', KEYS[1]) == 1 then
  return 0
end
redis.call('HSET', KEYS[1], unpack(ARGV))
return 1
