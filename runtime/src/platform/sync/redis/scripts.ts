/**
 * Steps that must not be interrupted, decided inside the server and by its clock. Times are milliseconds. Every script
 * answers with a number or a text; `false` is nil.
 */

/**
 * KEYS: the lock, the last token. ARGV: owner, lifetime. The token is the time in microseconds, or one more than the
 * last: it grows although locks end, and also when the server has lost its data.
 */
const acquireScript = `
if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return false end
local clock = redis.call('TIME')
local now = tonumber(clock[1]) * 1000000 + tonumber(clock[2])
local token = tonumber(redis.call('GET', KEYS[2]) or 0) + 1
if token < now then token = now end
local text = string.format('%.0f', token)
redis.call('SET', KEYS[2], text)
return text
`;

/** KEYS: the lock. ARGV: owner, lifetime. */
const extendScript = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`;

/** KEYS: the lock. ARGV: owner. */
const releaseScript = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
`;

const now = `
local clock = redis.call('TIME')
local now = tonumber(clock[1]) * 1000 + math.floor(tonumber(clock[2]) / 1000)
`;

/** The whole pool expires when its longest lease has ended. */
const keepPool = `
local lease = tonumber(ARGV[2])
redis.call('ZADD', KEYS[1], string.format('%.0f', now + lease), ARGV[1])
if redis.call('PTTL', KEYS[1]) < lease then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 1
`;

/** KEYS: the pool. ARGV: the permit, its lease, how many there are. */
const takePermitScript = `${now}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
${keepPool}`;

/** KEYS: the pool. ARGV: the permit, its lease. */
const extendPermitScript = `${now}
local ends = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not ends or tonumber(ends) <= now then return 0 end
${keepPool}`;

/** KEYS: the pool. ARGV: the permit. */
const returnPermitScript = `${now}
local ends = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not ends then return 0 end
redis.call('ZREM', KEYS[1], ARGV[1])
if tonumber(ends) <= now then return 0 end
return 1
`;

/** KEYS: the pool. */
const permitsTakenScript = `${now}
return redis.call('ZCOUNT', KEYS[1], '(' .. string.format('%.0f', now), '+inf')
`;

/** KEYS: the sequence. A script, so that it is delayed as the others are when the server has lost them. */
const sequenceScript = `return redis.call('GET', KEYS[1])`;

/**
 * KEYS: the sequence. ARGV: a number, its lifetime or an empty text. Digits are compared: numbers here are doubles, not
 * 64 bit.
 */
const raiseSequenceScript = `
local function higher(a, b)
  local below, beneath = a:sub(1, 1) == '-', b:sub(1, 1) == '-'
  if below ~= beneath then return beneath end
  if below then a, b = b:sub(2), a:sub(2) end
  if #a ~= #b then return #a > #b end
  return a > b
end
local kept = redis.call('GET', KEYS[1])
if kept and not higher(ARGV[1], kept) then return 0 end
if ARGV[2] == '' then redis.call('SET', KEYS[1], ARGV[1]) else redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) end
return 1
`;

/** KEYS: the signal. ARGV: its lifetime, the channel. */
const signalScript = `
redis.call('SET', KEYS[1], '1', 'PX', ARGV[1])
return redis.call('PUBLISH', ARGV[2], '')
`;

/** All of them by the name of their command. */
export const scripts = {
  svcLock: { lua: acquireScript, numberOfKeys: 2 },
  svcLockExtend: { lua: extendScript, numberOfKeys: 1 },
  svcLockRelease: { lua: releaseScript, numberOfKeys: 1 },
  svcPermit: { lua: takePermitScript, numberOfKeys: 1 },
  svcPermitExtend: { lua: extendPermitScript, numberOfKeys: 1 },
  svcPermitReturn: { lua: returnPermitScript, numberOfKeys: 1 },
  svcPermitsTaken: { lua: permitsTakenScript, numberOfKeys: 1 },
  svcSequence: { lua: sequenceScript, numberOfKeys: 1 },
  svcSequenceRaise: { lua: raiseSequenceScript, numberOfKeys: 1 },
  svcSignal: { lua: signalScript, numberOfKeys: 1 },
};
