import { tokenScript } from '../../../../platform/sync/redis/token-script.ts';

/**
 * Steps that must not be interrupted, decided inside the server and by its clock. Times are milliseconds. Names of keys
 * that are found meanwhile are made in the scripts, from a prefix that is an argument.
 */

const now = `
local clock = redis.call('TIME')
local micros = tonumber(clock[1]) * 1000000 + tonumber(clock[2])
local now = math.floor(micros / 1000)
local function whole(number) return string.format('%.0f', number) end
`;

/** The sessions of the index KEYS[2] that have not ended, the oldest first; what has ended is removed from it. */
const alive = (prefix: string) => `
local alive = {}
for _, id in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  if redis.call('EXISTS', ${prefix} .. id) == 1 then alive[#alive + 1] = id
  else redis.call('ZREM', KEYS[2], id) end
end
`;

/** A place behind all others of the index KEYS[2], whatever clocks did, and a life that is as long as its longest. */
const append = (member: string, life: string) => `
local last = redis.call('ZREVRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]
if last and tonumber(last) >= micros then micros = tonumber(last) + 1 end
redis.call('ZADD', KEYS[2], whole(micros), ${member})
if redis.call('PTTL', KEYS[2]) < tonumber(${life}) then redis.call('PEXPIRE', KEYS[2], ${life}) end
`;

/**
 * KEYS: the session, the index of its person, the generation of its person. ARGV: the generation that was read, prefix of
 * sessions, id, most, what is done when there are too many, absolute time, idle time, then fields and values.
 */
const beginScript = `${now}
if (redis.call('GET', KEYS[3]) or '') ~= ARGV[1] then return 'outdated' end
${alive('ARGV[2]')}
local tooMany = #alive + 1 - tonumber(ARGV[4])
if tooMany > 0 and ARGV[5] == 'reject_new' then return 'full' end
local ended = {}
for index = 1, math.min(tooMany, #alive) do
  ended[index] = alive[index]
  redis.call('DEL', ARGV[2] .. alive[index])
  redis.call('ZREM', KEYS[2], alive[index])
end
local absolute, idle = tonumber(ARGV[6]), tonumber(ARGV[7])
redis.call('HSET', KEYS[1], 'ends', whole(now + absolute), 'idle', ARGV[7], unpack(ARGV, 8))
redis.call('PEXPIRE', KEYS[1], whole(math.min(absolute, idle)))
${append('ARGV[3]', 'ARGV[6]')}
return ended
`;

/** Notes a use of the session KEYS[1] at `at`; its idle time begins again where it does. */
const used = (at: string) => `
redis.call('HSET', KEYS[1], 'active', ${at})
local life = redis.call('HMGET', KEYS[1], 'ends', 'idle', 'extends')
if life[3] == '1' then
  redis.call('PEXPIRE', KEYS[1], whole(math.min(tonumber(life[1]) - now, tonumber(life[2]))))
end
`;

/** KEYS: the session. ARGV: when it is used, for how long uses are not noted, then the fields that are wanted. */
const useScript = `${now}
local last = redis.call('HGET', KEYS[1], 'active')
if last and math.abs(tonumber(ARGV[1]) - tonumber(last)) >= tonumber(ARGV[2]) then
  ${used('ARGV[1]')}
end
return redis.call('HMGET', KEYS[1], unpack(ARGV, 3))
`;

/** KEYS: the session. ARGV: the token, the one that replaces it, the client, the leeway, the time, prefix of indexes, id. */
const rotateScript = `${now}
local kept = redis.call('HMGET', KEYS[1], 'refresh', 'spent', 'client', 'spentAt', 'user')
if not kept[1] then return 'ended' end
if kept[1] == ARGV[1] then
  redis.call('HSET', KEYS[1], 'refresh', ARGV[2], 'spent', ARGV[1], 'client', ARGV[3], 'spentAt', whole(now))
  ${used('ARGV[5]')}
  return 'rotated'
end
if kept[2] == ARGV[1] and kept[3] == ARGV[3] and now - tonumber(kept[4]) < tonumber(ARGV[4]) then
  ${used('ARGV[5]')}
  return 'forgiven'
end
redis.call('DEL', KEYS[1])
redis.call('ZREM', ARGV[6] .. kept[5], ARGV[7])
return 'reused'
`;

/** KEYS: the session. ARGV: its facts as JSON. */
const factsScript = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], 'facts', ARGV[1])
return 1
`;

/** KEYS: none, the index of a person. ARGV: prefix of sessions, then the fields that are wanted. Each begins with its id. */
const sessionsScript = `${alive('ARGV[1]')}
local found = {}
for index, id in ipairs(alive) do
  local fields = redis.call('HMGET', ARGV[1] .. id, unpack(ARGV, 2))
  table.insert(fields, 1, id)
  found[index] = fields
end
return found
`;

/** KEYS: the session, the index of a person. ARGV: its id, the person. */
const endScript = `
if redis.call('HGET', KEYS[1], 'user') ~= ARGV[2] then return 0 end
redis.call('ZREM', KEYS[2], ARGV[1])
return redis.call('DEL', KEYS[1])
`;

/**
 * KEYS: none, the index of a person, its generation. ARGV: prefix of sessions, the id that is excepted or an empty text, how
 * long the generation is kept.
 */
const endAllScript = `${alive('ARGV[1]')}
redis.call('INCR', KEYS[3])
redis.call('PEXPIRE', KEYS[3], ARGV[3])
local ended = {}
for _, id in ipairs(alive) do
  if id ~= ARGV[2] then
    ended[#ended + 1] = id
    redis.call('DEL', ARGV[1] .. id)
    redis.call('ZREM', KEYS[2], id)
  end
end
return ended
`;

/** KEYS: the count, the lock. ARGV: most, window, retry. Answers whether it may, whether it is locked, and a number. */
const attemptScript = `
local locked = redis.call('PTTL', KEYS[2])
if locked >= 0 then return {0, 1, math.max(locked, 1)} end
local counts = redis.call('HMGET', KEYS[1], 'tries', 'failures')
if tonumber(counts[1] or 0) >= tonumber(ARGV[1]) then
  return {0, 0, math.max(math.min(redis.call('PTTL', KEYS[1]), tonumber(ARGV[3])), 1)}
end
redis.call('HINCRBY', KEYS[1], 'tries', 1)
if not counts[1] then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return {1, 0, tonumber(counts[2] or 0)}
`;

/** KEYS: the count, the lock. ARGV: most, window, lockout. */
const failedScript = `
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
local failures = redis.call('HINCRBY', KEYS[1], 'failures', 1)
if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
if tonumber(redis.call('HGET', KEYS[1], 'tries') or 0) < failures then
  redis.call('HSET', KEYS[1], 'tries', failures)
end
if failures < tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[2], '1', 'PX', ARGV[3])
redis.call('DEL', KEYS[1])
return 1
`;

/** KEYS: the count. */
const withdrawnScript = `
local counts = redis.call('HMGET', KEYS[1], 'tries', 'failures')
local tries, failures = tonumber(counts[1] or 0), tonumber(counts[2] or 0)
if tries <= failures then return 0 end
if tries == 1 then return redis.call('DEL', KEYS[1]) end
redis.call('HINCRBY', KEYS[1], 'tries', -1)
return 1
`;

/** KEYS: the ticket, the index of its owner. ARGV: prefix of tickets, digest, lifetime, most or 1 where it is alone, owner, data. */
const issueScript = `${now}
local held = redis.call('ZRANGE', KEYS[2], 0, -1)
local left = {}
for _, digest in ipairs(held) do
  if redis.call('EXISTS', ARGV[1] .. digest) == 1 then left[#left + 1] = digest
  else redis.call('ZREM', KEYS[2], digest) end
end
for index = 1, math.min(#left + 1 - tonumber(ARGV[4]), #left) do
  redis.call('DEL', ARGV[1] .. left[index])
  redis.call('ZREM', KEYS[2], left[index])
end
redis.call('HSET', KEYS[1], 'owner', ARGV[5], 'data', ARGV[6])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
${append('ARGV[2]', 'ARGV[3]')}
return 1
`;

/** KEYS: the ticket. ARGV: prefix of indexes, digest. */
const takeScript = `
local kept = redis.call('HMGET', KEYS[1], 'owner', 'data')
if not kept[1] then return false end
redis.call('DEL', KEYS[1])
redis.call('ZREM', ARGV[1] .. kept[1], ARGV[2])
return kept
`;

/** KEYS: the index of the owner. ARGV: prefix of tickets. */
const dropAllScript = `
for _, digest in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do redis.call('DEL', ARGV[1] .. digest) end
return redis.call('DEL', KEYS[1])
`;

/** All of them by the name of their command. */
export const scripts = {
  svcSessionBegin: { lua: beginScript, numberOfKeys: 3 },
  svcSessionUse: { lua: useScript, numberOfKeys: 1 },
  svcSessionRotate: { lua: rotateScript, numberOfKeys: 1 },
  svcSessionFacts: { lua: factsScript, numberOfKeys: 1 },
  svcSessionsOf: { lua: sessionsScript, numberOfKeys: 2 },
  svcSessionEnd: { lua: endScript, numberOfKeys: 2 },
  svcSessionEndAll: { lua: endAllScript, numberOfKeys: 3 },
  svcAttempt: { lua: attemptScript, numberOfKeys: 2 },
  svcAttemptFailed: { lua: failedScript, numberOfKeys: 2 },
  svcAttemptWithdrawn: { lua: withdrawnScript, numberOfKeys: 1 },
  svcTicketIssue: { lua: issueScript, numberOfKeys: 2 },
  svcTicketTake: { lua: takeScript, numberOfKeys: 1 },
  svcTicketDropAll: { lua: dropAllScript, numberOfKeys: 1 },
  svcAuthTakeToken: { lua: tokenScript, numberOfKeys: 1 },
};
