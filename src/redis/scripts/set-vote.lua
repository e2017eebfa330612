-- Writes a user's vote in a poll, or takes it back, and changes the numbers of the poll with it: they never disagree.
-- KEYS[1] hash: the votes. ARGV: user, choices ("0,2"; empty: take the vote back).
-- Returns 1 if it was done now or before, 0 if the user has voted for something else.
local key, user, choices, step = KEYS[1], ARGV[1], ARGV[2], 1
local before = redis.call('HGET', key, user)
if choices == '' then
  if not before then
    return 1
  end
  redis.call('HDEL', key, user)
  choices, step = before, -1
elseif before then
  return before == choices and 1 or 0
else
  redis.call('HSET', key, user, choices)
end
local function count(field)
  if redis.call('HINCRBY', key, field, step) == 0 then
    redis.call('HDEL', key, field)
  end
end
count('voters')
for choice in string.gmatch(choices, '%d') do
  count('n' .. choice)
end
return 1
