/**
 * Entries that change only while they hold what is expected, decided inside the server so that nobody comes between.
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
