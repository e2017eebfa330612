-- Sets fields of a hash while one of its fields still has an expected value. Also the command updateAnyway.
-- KEYS[1] hash. ARGV: that field, the expected value, then field, value, … Returns 1, or 0 if it has changed.
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then
  return 0
end
redis.call('HSET', KEYS[1], unpack(ARGV, 3))
return 1
