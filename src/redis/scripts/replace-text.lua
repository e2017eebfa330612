-- Replaces a text that has not changed. May run twice.
-- KEYS[1] string. ARGV: the expected text, the next one, seconds until it expires. Returns 1, or 0 if it has changed.
local text = redis.call('GET', KEYS[1])
if text ~= ARGV[1] and text ~= ARGV[2] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
return 1
