#!lua flags=allow-oom
-- Takes a claim that no process holds, or renews our own. Allowed in a full memory.
-- KEYS[1] string: the claim. ARGV: our token, seconds. Returns 1, or 0 if another process holds it.
local held = redis.call('GET', KEYS[1])
if held and held ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
return 1
