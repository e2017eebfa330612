-- Adds a member to a sorted set with the first score from the wanted one on that no other member has. An existing
-- member keeps its score. Members with the lowest scores are removed if there are too many.
-- KEYS[1] zset. ARGV: score, an integer; member; max members.
-- Returns how many members were added.
local set, score, member, most = KEYS[1], tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3])
if redis.call('ZSCORE', set, member) then
  return 0
end
local function spell(number)
  return string.format('%.0f', number)
end
while redis.call('ZCOUNT', set, spell(score), spell(score)) > 0 do
  score = score + 1
end
local added = redis.call('ZADD', set, spell(score), member)
redis.call('ZREMRANGEBYRANK', set, 0, -most - 1)
return added
