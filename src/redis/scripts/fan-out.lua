#!lua flags=allow-cross-slot-keys
-- Adds one tweet to the home timelines of its author's followers after `from`, up to `upTo` (stamps). For a
-- server with all keys: it reads the followers itself. Running twice changes nothing.
-- KEYS[1]: the author's followers. ARGV: tweet id, stamp, cap, keep, from, upTo, ahead, step, then the key of a
-- home timeline before and after the user's id. For a reply to another user also that user and the key of their
-- followers: only they get it.
-- For missing and full timelines see deliver.lua.
-- Returns the end of a later step: the stamp of the follower number `ahead` after `upTo`, "+inf" for a last,
-- smaller step, false if there is none.
local tweet, stamp, cap, keep = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local from, up_to, ahead, step = ARGV[5], ARGV[6], tonumber(ARGV[7]), tonumber(ARGV[8])
local before, after, answered, both = ARGV[9], ARGV[10], ARGV[11], ARGV[12]
-- See deliver.lua.
local function compact(home)
  local dump = redis.pcall('DUMP', home)
  if type(dump) == 'string' then
    redis.pcall('RESTORE', home, math.max(0, redis.call('PTTL', home)), dump, 'REPLACE')
  end
end
local function concerns(follower)
  return not answered or follower == answered or redis.call('ZSCORE', both, follower)
end
for _, follower in ipairs(redis.call('ZRANGE', KEYS[1], '(' .. from, up_to, 'BYSCORE')) do
  local home = before .. follower .. after
  local size = concerns(follower) and redis.call('ZCARD', home) or 0
  if size >= cap and not redis.call('ZSCORE', home, tweet) then
    redis.call('ZREMRANGEBYRANK', home, 0, -keep - 1)
    local oldest = redis.call('ZRANGE', home, 0, 0, 'WITHSCORES')
    redis.call('ZADD', home, 'GT', oldest[2], 'floor')
  end
  if size > 0 then
    redis.call('ZADD', home, stamp, tweet)
  end
  if size > cap then
    compact(home)
  end
end
local function later(nth)
  return redis.call('ZRANGE', KEYS[1], '(' .. up_to, '+inf', 'BYSCORE', 'LIMIT', nth, 1, 'WITHSCORES')[2]
end
return later(ahead - 1) or (later(ahead - step) and '+inf')
