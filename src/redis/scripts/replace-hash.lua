-- Writes a whole hash in the place of another: of several writers each learns whose place it took.
-- KEYS[1] hash. ARGV: a field, seconds to live, then field, value, … Returns what that field was, or nil.
local earlier = redis.call('HGET', KEYS[1], ARGV[1])
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], unpack(ARGV, 3))
redis.call('EXPIRE', KEYS[1], ARGV[2])
return earlier
