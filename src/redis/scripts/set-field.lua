#!lua flags=allow-oom
-- Sets fields of an existing hash; never makes one. Equal values write nothing: a count that did not change makes no page
-- anew. Allowed if Redis is full: removals set counts and marks, and settings are short.
-- KEYS[1] hash. ARGV: field, value, …
-- Returns 1, or 0 if there is no such hash.
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
for at = 1, #ARGV, 2 do
  if redis.call('HGET', KEYS[1], ARGV[at]) ~= ARGV[at + 1] then
    redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1])
  end
end
return 1
