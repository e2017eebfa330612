-- Adds a report to a user's open reports, unless there are too many.
-- KEYS[1] zset: the user's open reports. ARGV: subject, stamp, max number of open reports.
-- Returns 1, or 0 if there are too many.
local listed = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not listed and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then
  return 0
end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
return 1
