import { block, duration, flag, float, int, lifetime, list, oneOf, text } from '@svc/protocol/schema';

const keyWords = ['ip', 'user', 'ip+user'] as const;

const bruteForce = block({
  doc: 'Locks out who fails too often. Counted before a credential is looked at, so that tries at the same time count too.',
  attributes: {
    enabled: flag('false turns it off.'),
    max_attempts: int('Failures within `window` that lock.', { min: 1, max: 10_000 }),
    window: lifetime('Time in which failures are counted, from the first one.', { min: 1_000 }),
    lockout_time: lifetime('How long a lock lasts.', { min: 1_000 }),
    track_by: oneOf('What failures are counted by.', keyWords),
    fail_delay: duration('Time that a failed sign-in takes longer, plus or minus a quarter; 0 answers at once.', {
      default: 1_500,
      max: 30_000,
    }),
  },
  blocks: {
    progressive_delay: block({
      doc: 'Lets each further try wait longer.',
      attributes: {
        enabled: flag('false turns it off.'),
        initial: duration(
          'After `n` failures, from the second on, a try waits this long times `multiplier` to the power of `n` - 1.',
          { default: 1_000, min: 1 },
        ),
        max: duration('Longest wait.', { default: 30_000, min: 1, max: 300_000 }),
        multiplier: float('Factor from each failure to the next.', { default: 2, min: 1 }),
      },
    }),
  },
  example: 'brute_force {\n  max_attempts = 5\n  window       = "15m"\n  lockout_time = "30m"\n}',
});

const replay = block({
  doc: 'Refuses a refresh token that is presented again, also where it is not rotated.',
  attributes: {
    enabled: flag('false turns it off.'),
    window: lifetime('How long a presented token is remembered.', { min: 1_000 }),
  },
});

const travel = block({
  doc: 'Notices a sign-in that is too far from the one before it.',
  attributes: {
    enabled: flag('false turns it off.'),
    max_speed_kmh: float('Fastest plausible speed, in kilometres per hour.', { min: 1 }),
    min_distance_km: float(
      'Shortest distance that is judged, in kilometres. What remains of it is judged when the accuracy of both places is taken off: 50 km each where it is not known.',
      { default: 100, min: 0 },
    ),
    on_detect: oneOf('What happens then.', ['notify', 'challenge', 'block']),
  },
  blocks: {
    geoip: block({
      doc: 'Where addresses are.',
      attributes: {
        database: text('Path of a city database in MaxMind format.', { namesFile: 'read', example: '"geo/city.mmdb"' }),
        api: text('Address of a look-up service with `{ip}` in it, which answers JSON.', {
          pattern: { source: '^https?://.*\\{ip\\}', says: 'must be an http(s) address with {ip} in it' },
          example: '"https://geo.example.test/{ip}"',
        }),
      },
      rules: [{ rule: 'exactlyOneOf', names: ['database', 'api'] }],
    }),
  },
  example: 'impossible_travel {\n  on_detect = "notify"\n  geoip {\n    database = "geo/city.mmdb"\n  }\n}',
});

const devices = block({
  doc: 'Remembers the devices that an account signs in with.',
  attributes: {
    enabled: flag('false turns it off.'),
    fingerprint: list('What distinguishes a device.', oneOf('Part.', ['user_agent', 'ip', 'device_id'])),
    trust_duration: lifetime('How long a device is remembered without being used.', { min: 1_000 }),
    max_devices: int('Devices of an account; the one unused longest is forgotten.', { min: 1, max: 1_000 }),
    on_new_device: oneOf('What happens at a sign-in with an unknown one.', ['allow', 'notify', 'challenge', 'block']),
  },
});

const limit = (doc: string) =>
  block({
    doc,
    attributes: {
      rate: int('Requests in each `window`.', { min: 1 }),
      window: lifetime('The time that `rate` is for.', { min: 1_000 }),
      burst: int('Requests at once. Default: `rate`.', { min: 1 }),
    },
  });

const rateLimit = block({
  doc: 'Limits the requests to the sign-in endpoints, each counted separately.',
  attributes: {
    enabled: flag('false turns it off.', { default: true }),
    key_by: oneOf('What is limited; `user` is the address where no account is signed in.', keyWords, { default: 'ip' }),
    rate: int('Requests in each `window`, of endpoints without a limit that suits them.', { min: 1 }),
    window: lifetime('The time that `rate` is for.', { default: 60_000, min: 1_000 }),
    burst: int('Requests at once, of endpoints without a limit that suits them. Default: `rate`.', { min: 1 }),
  },
  blocks: {
    login: limit('Limit of sign-ins.'),
    register: limit('Limit of registrations.'),
    refresh: limit('Limit of refreshed tokens.'),
    logout: limit('Limit of sign-outs.'),
    change_password: limit('Limit of changed passwords.'),
    sessions: limit('Limit of listing and ending sessions, and of `me`.'),
  },
  example: 'rate_limit {\n  key_by = "ip"\n  login {\n    rate = 5\n  }\n}',
});

export const security = block({
  doc: 'Protection against those who guess, steal and repeat. What is not written has the value of the preset.',
  blocks: {
    brute_force: bruteForce,
    replay_protection: replay,
    impossible_travel: travel,
    device_binding: devices,
    rate_limit: rateLimit,
  },
  unavailable: ['ip_rules'],
});
