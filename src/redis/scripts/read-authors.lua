#!lua flags=no-writes,allow-cross-slot-keys
-- Reads what many authors wrote in a range of stamps, for a server with all keys: one text is much cheaper to send and
-- parse than as many replies.
-- KEYS[1]: the user timeline of any author, for routing. ARGV: max tweets of each, 'up' or 'down', the lower and the
-- upper end of the stamps; the key of a user timeline before and after the user's id, the same of a list of replies;
-- author, …
-- Returns a line for each author: "tweet stamp tweet stamp …" in that direction; a reply to another user is
-- "tweet:that user". Most lines are empty.
local most, is_up, bottom, top = ARGV[1], ARGV[2] == 'up', ARGV[3], ARGV[4]
local function answered(author, one, other)
  local key = ARGV[7] .. author .. ARGV[8]
  local replies = redis.call('ZRANGEBYSCORE', key, is_up and one or other, is_up and other or one)
  local members = {}
  for _, member in ipairs(replies) do
    members[string.match(member, '^%d+')] = member
  end
  return members
end
local lines = {}
for index = 9, #ARGV do
  local author, part = ARGV[index], {}
  local written = ARGV[5] .. author .. ARGV[6]
  -- Counting is the cheapest way to see that there is nothing.
  if redis.call('ZCOUNT', written, bottom, top) > 0 then
    if is_up then
      part = redis.call('ZRANGEBYSCORE', written, bottom, top, 'WITHSCORES', 'LIMIT', 0, most)
    else
      part = redis.call('ZREVRANGEBYSCORE', written, top, bottom, 'WITHSCORES', 'LIMIT', 0, most)
    end
    local replies = answered(author, part[2], part[#part])
    for nth = 1, #part, 2 do
      part[nth] = replies[part[nth]] or part[nth]
    end
  end
  lines[index - 8] = table.concat(part, ' ')
end
return table.concat(lines, '\n')
