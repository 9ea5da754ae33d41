/**
 * Entries that change only while they hold what is expected, decided inside the server so that no other client comes between.
 * KEYS[1] is the entry, ARGV[1] what it must hold. Answer 1 when they did something.
 */
export const replaceScript = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[3] == '' then redis.call('SET', KEYS[1], ARGV[2]) else redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
return 1
`;

export const deleteIfScript = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
`;

/**
 * Adds to a number. ARGV[1] is what is added, ARGV[2] the lifetime of an entry that begins, ARGV[3] what it may not exceed;
 * empty for none. Answers whether it was added, and the number as text, since numbers of scripts are not exact.
 */
export const addScript = `
local isNew = redis.call('EXISTS', KEYS[1]) == 0
local sum = redis.pcall('INCRBY', KEYS[1], ARGV[1])
if type(sum) == 'table' then return sum end
if ARGV[3] ~= '' and sum > tonumber(ARGV[3]) then
  redis.call('DECRBY', KEYS[1], ARGV[1])
  local held = redis.call('GET', KEYS[1])
  if isNew then redis.call('DEL', KEYS[1]) end
  return {0, held}
end
if isNew and ARGV[2] ~= '' then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return {1, redis.call('GET', KEYS[1])}
`;
