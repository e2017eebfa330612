#!lua flags=allow-oom
-- Makes a tombstone of a tweet, without its words and its earlier versions. Allowed in a full memory: it makes room.
-- KEYS[1] hash: the tweet. ARGV: stamp of the deletion, life of the tombstone in seconds.
local edits = tonumber(redis.call('HGET', KEYS[1], 'edits') or '0')
for nth = 0, edits - 1 do
  redis.call('HDEL', KEYS[1], 'was:' .. nth)
end
redis.call('HDEL', KEYS[1], 'text', 'warning', 'language', 'mentions', 'poll', 'edits')
redis.call('HSET', KEYS[1], 'deleted_at', ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return 1
