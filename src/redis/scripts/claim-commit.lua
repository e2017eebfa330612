-- Makes a name claim permanent, if it is still ours.
-- KEYS[1] string: the claim. ARGV[1]: our user id. Returns 1, or 0 if the claim lapsed.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
redis.call('PERSIST', KEYS[1])
return 1
