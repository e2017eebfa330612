-- Changes a tweet, and keeps the version that it had. Never changes a draft or a tombstone.
-- KEYS[1] hash: the tweet. ARGV: the expected `edited_at` (empty: never edited), max edits, max bytes of all
-- earlier versions, the version that it has, then field, value, …; an empty value removes the field, except for the text.
-- Returns 1; 0 if it was edited or deleted meanwhile; -1 if its history has no room for another version.
local key = KEYS[1]
if redis.call('HEXISTS', key, 'user_id') == 0 or redis.call('HEXISTS', key, 'deleted_at') == 1 then
  return 0
end
if (redis.call('HGET', key, 'edited_at') or '') ~= ARGV[1] then
  return 0
end
local edits = tonumber(redis.call('HGET', key, 'edits') or '0')
local bytes = #ARGV[4]
for nth = 0, edits - 1 do
  bytes = bytes + redis.call('HSTRLEN', key, 'was:' .. nth)
end
if edits >= tonumber(ARGV[2]) or bytes > tonumber(ARGV[3]) then
  return -1
end
redis.call('HSET', key, 'was:' .. edits, ARGV[4], 'edits', edits + 1)
for nth = 5, #ARGV, 2 do
  if ARGV[nth + 1] == '' and ARGV[nth] ~= 'text' then
    redis.call('HDEL', key, ARGV[nth])
  else
    redis.call('HSET', key, ARGV[nth], ARGV[nth + 1])
  end
end
return 1
