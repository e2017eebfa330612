#!lua flags=allow-oom
-- Adds a deletion to the stream that processes with open streams read. Allowed in a full memory.
-- KEYS[1] stream. ARGV: tweet id, oldest place to keep.
return redis.call('XADD', KEYS[1], 'MINID', '~', ARGV[2], '*', 'tweet', ARGV[1])
