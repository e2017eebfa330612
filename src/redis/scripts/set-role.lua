-- Sets the role of a user in the list of the staff, unless too few other admins would stay.
-- KEYS[1] hash of user → role. ARGV: user, role (empty: none), number of other admins that must stay.
-- Returns 1, or 0 if it was refused.
local others = 0
local staff = redis.call('HGETALL', KEYS[1])
for nth = 1, #staff, 2 do
  if staff[nth] ~= ARGV[1] and staff[nth + 1] == 'admin' then
    others = others + 1
  end
end
if ARGV[2] ~= 'admin' and others < tonumber(ARGV[3]) then
  return 0
end
if ARGV[2] == '' then
  redis.call('HDEL', KEYS[1], ARGV[1])
else
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
end
return 1
