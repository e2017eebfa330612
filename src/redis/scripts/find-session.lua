#!lua flags=no-writes
-- When a session began, as long as it may live by the clock of Redis.
-- KEYS[1] zset: session → stamp of its beginning. ARGV: session, seconds that it may live. Returns the
-- stamp, or nil if it is not listed or too old.
local began = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not began or redis.call('TIME')[1] - began / 1000000 >= tonumber(ARGV[2]) then
  return false
end
return began
