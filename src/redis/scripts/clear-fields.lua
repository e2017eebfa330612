#!lua flags=allow-oom
-- Removes those fields of a hash that still hold what the caller thinks. Allowed in a full memory.
-- KEYS[1] hash. ARGV: field, value, … Returns the fields that were removed.
local removed = {}
for index = 1, #ARGV, 2 do
  if redis.call('HGET', KEYS[1], ARGV[index]) == ARGV[index + 1] then
    redis.call('HDEL', KEYS[1], ARGV[index])
    table.insert(removed, ARGV[index])
  end
end
return removed
