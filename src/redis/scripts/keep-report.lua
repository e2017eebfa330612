-- Stores a user's report of a subject, replacing their earlier one; no new one if there are too many.
-- KEYS[1] hash: the subject's reports. ARGV: reporter, report, max reports.
-- Returns 1, or 0 if it was not stored.
local known = redis.call('HEXISTS', KEYS[1], ARGV[1])
if known == 0 and redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[3]) then
  return 0
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1
