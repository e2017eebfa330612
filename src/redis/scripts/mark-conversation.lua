#!lua flags=allow-oom
-- Moves a user's mark in a conversation. It never goes back, and a look never takes a user back who has left. Allowed if
-- Redis is full: leaving protects the user.
-- KEYS[1] hash: the user's marks. ARGV: conversation, 'read', 'written', 'joined' or 'left', and the stamp of the message
-- that was read or written, or of leaving. 'written' after the user left, and 'joined' always, take the user back.
-- Returns 1 if the mark was moved, else 0.
local mark = redis.call('HGET', KEYS[1], ARGV[1]) or '0'
local left = string.match(mark, '^left:(.*)$')
local how, stamp = ARGV[2], ARGV[3]
if how == 'left' then
  redis.call('HSET', KEYS[1], ARGV[1], 'left:' .. stamp)
  return 1
end
if how == 'joined' then
  stamp = left or mark
end
if left and (how == 'read' or how == 'written' and tonumber(stamp) <= tonumber(left)) then
  return 0
end
if not left and tonumber(stamp) <= tonumber(mark) then
  return 0
end
redis.call('HSET', KEYS[1], ARGV[1], stamp)
return 1
