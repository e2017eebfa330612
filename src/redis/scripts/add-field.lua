-- Adds a field to a hash, if it has room for it. A field that is there stays as it is. Also the command addFieldAnyway.
-- KEYS[1] hash. ARGV: field, value, max fields. Returns the field's value afterwards, or nil if the hash is full.
local known = redis.call('HGET', KEYS[1], ARGV[1])
if known then
  return known
end
if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[3]) then
  return false
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return ARGV[2]
