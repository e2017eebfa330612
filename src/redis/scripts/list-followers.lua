#!lua flags=no-writes
-- Reads the next followers of a user, oldest follow first: `count`, and more only if several share the last stamp.
-- KEYS[1]: the followers. ARGV: after (a stamp), count.
-- Returns their ids with spaces between them, as a client reads one text faster than a thousand, and the stamp of the
-- last; false instead of it if there are no more.
local followers, from, count = KEYS[1], '(' .. ARGV[1], tonumber(ARGV[2])
local ids = redis.call('ZRANGE', followers, from, '+inf', 'BYSCORE', 'LIMIT', 0, count)
local last = ids[count] and redis.call('ZSCORE', followers, ids[count])
if last and redis.call('ZCOUNT', followers, last, last) > 1 then
  ids = redis.call('ZRANGE', followers, from, last, 'BYSCORE')
end
local is_more = last and redis.call('ZCOUNT', followers, '(' .. last, '+inf') > 0
return {table.concat(ids, ' '), is_more and last or false}
