#!lua flags=no-writes
-- The clock of Redis, which all processes share.
-- KEYS[1] any key: on a cluster its node is asked.
-- Returns milliseconds.
local time = redis.call('TIME')
return time[1] * 1000 + math.floor(time[2] / 1000)
