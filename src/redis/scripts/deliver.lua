#!lua flags=allow-cross-slot-keys
-- Adds one tweet to many home timelines that live on one node. A timeline that does not exist is
-- left alone: it is rebuilt when its owner returns. Running twice changes nothing.
-- KEYS[1]: any one of the timelines, for routing. ARGV: tweet id, stamp, cap, keep, the timelines packed (packed.ts).
-- A timeline of `cap` members is cut to its newest `keep` first, and its floor rises to the oldest kept: so it never
-- has more, not even for a moment in which Redis would give up its compact form. One that was longer (filled under a
-- larger TIMELINE_CAP) is written anew, as only that makes it compact.
-- Returns how many timelines exist.
local tweet, stamp, cap, keep = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
-- An ACL of the host may forbid one of the two commands: then the timeline only keeps its larger form.
local function compact(home)
  local dump = redis.pcall('DUMP', home)
  if type(dump) == 'string' then
    redis.pcall('RESTORE', home, math.max(0, redis.call('PTTL', home)), dump, 'REPLACE')
  end
end
local reached = 0
for _, home in ipairs(cmsgpack.unpack(ARGV[5])) do
  local size = redis.call('ZCARD', home)
  if size > 0 then
    reached = reached + 1
    if size >= cap and not redis.call('ZSCORE', home, tweet) then
      redis.call('ZREMRANGEBYRANK', home, 0, -keep - 1)
      local oldest = redis.call('ZRANGE', home, 0, 0, 'WITHSCORES')
      redis.call('ZADD', home, 'GT', oldest[2], 'floor')
    end
    redis.call('ZADD', home, stamp, tweet)
    if size > cap then
      compact(home)
    end
  end
end
return reached
