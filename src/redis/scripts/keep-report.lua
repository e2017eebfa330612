-- Keeps somebody's report of a subject, in the place of an earlier one; of others', only so many.
-- KEYS[1] hash: the subject's reports. ARGV: reporter, report, how many are kept.
-- Returns 1, or 0 if it was not kept.
local known = redis.call('HEXISTS', KEYS[1], ARGV[1])
if known == 0 and redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[3]) then
  return 0
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1
