-- Replaces a claim by what was claimed, for good, if the claim is still ours.
-- KEYS[1] string: the claim. ARGV: our claim, our user id.
-- Returns 1, also if that was done already, or 0 if the claim expired.
local held = redis.call('GET', KEYS[1])
if held == ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[2])
  return 1
end
return held == ARGV[2] and 1 or 0
