-- Turns a draft into a tweet: from now on it has an author, and no TTL.
-- KEYS[1] hash. Returns 1; 2 if it was a tweet already; 0 if the draft expired.
local author = redis.call('HGET', KEYS[1], 'drafted_by')
if not author then
  return 2 * redis.call('HEXISTS', KEYS[1], 'user_id')
end
redis.call('HSET', KEYS[1], 'user_id', author)
redis.call('HDEL', KEYS[1], 'drafted_by', 'claim', 'generation')
redis.call('PERSIST', KEYS[1])
return 1
