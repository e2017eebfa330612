#!lua flags=allow-oom
-- Appends an entry to the audit log, unless it repeats the last one on its subject. Allowed if Redis is full:
-- decisions make room.
-- KEYS[1] stream. ARGV: digest of the form, subject, max entries, entries to search for a repeat, and the other
-- fields: field, value, …
-- Returns 1, or 0 for a repeat.
local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', ARGV[4])
for _, entry in ipairs(newest) do
  local values = entry[2]
  if values[4] == ARGV[2] then
    if values[2] == ARGV[1] then
      return 0
    end
    break
  end
end
redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[3], '*', 'act', ARGV[1], 'subject', ARGV[2], unpack(ARGV, 5))
return 1
