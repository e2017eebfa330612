#!lua flags=allow-oom
-- Sets the bytes of some fields of a hash, and keeps their sum in the field 'pictures'; 0 removes a field. Allowed if
-- Redis is full, as deletions count too.
-- KEYS[1] hash. ARGV: max of the sum (-1: none), then field, bytes, …; no field twice.
-- Returns 1; 0, and nothing is changed, if the sum would grow beyond the max.
local growth = 0
for at = 2, #ARGV, 2 do
  growth = growth + ARGV[at + 1] - (redis.call('HGET', KEYS[1], ARGV[at]) or 0)
end
local sum = growth + (redis.call('HGET', KEYS[1], 'pictures') or 0)
if growth > 0 and tonumber(ARGV[1]) >= 0 and sum > tonumber(ARGV[1]) then
  return 0
end
for at = 2, #ARGV, 2 do
  if tonumber(ARGV[at + 1]) == 0 then
    redis.call('HDEL', KEYS[1], ARGV[at])
  else
    redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1])
  end
end
if sum == 0 then
  redis.call('HDEL', KEYS[1], 'pictures')
else
  redis.call('HSET', KEYS[1], 'pictures', string.format('%d', sum))
end
return 1
