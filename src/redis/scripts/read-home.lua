-- Reads a part of a home timeline, at one moment, and renews its TTL.
-- KEYS[1] zset: the home timeline. ARGV: upper end of the stamps, limit, TTL in seconds, lower end of the
-- stamps, 'up' or 'down'.
-- Returns "floor tweet stamp tweet stamp …", in that direction, without entries below the floor: one text, as
-- that is much cheaper to send and parse than a list. False if there is no such timeline.
local home, life = KEYS[1], tonumber(ARGV[3])
local floor = redis.call('ZSCORE', home, 'floor')
if not floor then
  return false
end
-- Once a day is enough, or every tenth of a shorter TTL: each renewal is a write. If Redis refuses it, reading
-- continues without.
if redis.call('TTL', home) < life - math.min(86400, life / 10) then
  redis.pcall('EXPIRE', home, life)
end
local top, bottom, found = ARGV[1], floor, nil
if tonumber(ARGV[4]) > tonumber(floor) then
  bottom = ARGV[4]
end
if ARGV[5] == 'up' then
  found = redis.call('ZRANGE', home, bottom, top, 'BYSCORE', 'LIMIT', 0, ARGV[2], 'WITHSCORES')
else
  found = redis.call('ZRANGE', home, top, bottom, 'BYSCORE', 'REV', 'LIMIT', 0, ARGV[2], 'WITHSCORES')
end
return floor .. ' ' .. table.concat(found, ' ')
