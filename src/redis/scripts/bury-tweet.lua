#!lua flags=allow-oom
-- Makes a tombstone of a tweet. Allowed in a full memory: it makes room.
-- KEYS[1] hash: the tweet. ARGV: stamp of the deletion, life of the tombstone in seconds.
redis.call('HDEL', KEYS[1], 'text', 'mentions')
redis.call('HSET', KEYS[1], 'deleted_at', ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return 1
