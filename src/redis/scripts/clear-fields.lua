#!lua flags=allow-oom
-- Removes the fields of a hash that still have the expected values. Allowed if Redis is full.
-- KEYS[1] hash. ARGV: field, value, …
-- Returns the removed fields.
local removed = {}
for index = 1, #ARGV, 2 do
  if redis.call('HGET', KEYS[1], ARGV[index]) == ARGV[index + 1] then
    redis.call('HDEL', KEYS[1], ARGV[index])
    table.insert(removed, ARGV[index])
  end
end
return removed
