/**
 * The token bucket of `sync/bucket.ts`, run inside the server so that all processes share one bucket and its clock.
 * KEYS[1] holds the arrival time; ARGV are the interval and the tolerance. All in microseconds.
 * Answers whether the token was given, how many are left, and the milliseconds until the next.
 */
export const tokenScript = `
local clock = redis.call('TIME')
local now = tonumber(clock[1]) * 1000000 + tonumber(clock[2])
local interval = tonumber(ARGV[1])
local tolerance = tonumber(ARGV[2])
local arrival = tonumber(redis.call('GET', KEYS[1]) or now)
if arrival < now then arrival = now end
local next = arrival + interval
local spare = now - (next - tolerance)
if spare < -1 then
  return {0, 0, math.ceil(-spare / 1000)}
end
if spare < 0 then spare = 0 end
redis.call('SET', KEYS[1], string.format('%.0f', next), 'PX', string.format('%.0f', math.ceil((next - now) / 1000) + 1))
local remaining = math.floor(spare / interval + 0.000001)
local wait = 0
if remaining < 1 then wait = math.ceil((interval - spare) / 1000) end
return {1, remaining, wait}
`;
