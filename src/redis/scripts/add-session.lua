-- Lists a session, by the clock of Redis, and removes the oldest ones if there are too many.
-- KEYS[1] zset: session → stamp of its start. ARGV: session, max age in seconds, max sessions.
-- Returns the removed sessions.
local list, life, most = KEYS[1], ARGV[2], tonumber(ARGV[3])
local time = redis.call('TIME')
redis.call('ZADD', list, string.format('%.0f', time[1] * 1000000 + time[2]), ARGV[1])
redis.call('EXPIRE', list, life)
local surplus = redis.call('ZRANGE', list, 0, -most - 1)
if #surplus > 0 then
  redis.call('ZREM', list, unpack(surplus))
end
return surplus
