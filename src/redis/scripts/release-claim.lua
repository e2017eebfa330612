#!lua flags=allow-oom
-- Gives up a claim, if it is still ours. Allowed in a full memory.
-- KEYS[1] string: the claim. ARGV[1]: our claim. Returns 1, or 0 if it is not ours.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
return redis.call('DEL', KEYS[1])
