-- Adds a member to a sorted set, with the score of another one, while that one is there and the set has room.
-- KEYS[1] zset. ARGV: the other member, its score as it was read, the new member, max members.
-- Returns how many were added.
local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not score or tonumber(score) ~= tonumber(ARGV[2]) or redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[4]) then
  return 0
end
return redis.call('ZADD', KEYS[1], 'NX', score, ARGV[3])
