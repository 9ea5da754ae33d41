import { type AuthBed, goodPassword } from '../../../../runtime/src/engine/auth/testing/bed.ts';
import type { Shown } from '../flows.ts';
import { flags, jwt, minute, other, quiet, refreshes, type Story, secret, security, tells, times } from './stories.ts';

/** Statuses of wrong sign-ins with pauses between them, of a right one, and how long they waited. */
const fails =
  (pauses: readonly number[], agents: readonly { readonly ip?: string; readonly email?: string }[] = [{}]): Story =>
  async (bed) => {
    await bed.register();
    const seen = [];
    bed.clock.waits.length = 0;
    for (const [at, pause] of pauses.entries()) {
      bed.clock.pass(pause);
      const { status } = await bed.login('Wrong-Horse-7', agents[at % agents.length]);
      seen.push(status);
    }
    const { status, headers } = await bed.login(goodPassword);
    return [seen, status, headers['retry-after'], bed.clock.waits];
  };
const fast = [0, 0, 0, 0];

/** Sign-ins, each from a device of its own, and what the hook hears. */
const devices =
  (
    ...clients: readonly {
      readonly agent?: string;
      readonly ip?: string;
      readonly body?: object;
      readonly pass?: number;
    }[]
  ): Story =>
  async (bed) => {
    await bed.register();
    const statuses = [];
    for (const { pass = 0, ...client } of clients) {
      bed.clock.pass(pass);
      statuses.push((await bed.login(goodPassword, client)).status);
    }
    return [statuses, bed.hooked.map(([name, { reason, action }]) => [name, reason, action])];
  };
export const suspicious = 'hooks {\n on_suspicious_activity {\n flow = flow.f\n }\n }';
export const binding = (lines: string) =>
  other(`security {\n brute_force {\n fail_delay = 0\n }\n device_binding {\n ${lines}\n }\n }\n ${suspicious}`);
const twoDevices = devices({ agent: 'a' }, { agent: 'a' }, { agent: 'b' }, { agent: 'a' });

/** How many of some requests at once are let through, and again after a time. */
const floods =
  (ask: (bed: AuthBed, token: string) => Promise<{ readonly status: number }>, pass = 10_000): Story =>
  async (bed) => {
    const { access_token: token } = (await bed.register()).body;
    const seen = [];
    for (const time of [0, pass]) {
      bed.clock.pass(time);
      for (let count = 0; count < 4; count++) seen.push((await ask(bed, token)).status);
    }
    return seen;
  };
const limit = (lines: string) =>
  other(`security {\n brute_force {\n enabled = false\n fail_delay = 0\n }\n rate_limit {\n ${lines}\n }\n }`);
const limited = (block: string, ask: Parameters<typeof floods>[0]): Shown =>
  Object.fromEntries(
    (
      [
        ['rate', 'rate = §', ['1', '3']],
        ['window', 'rate = 1\n window = §', ['"1m"', '"5s"']],
        ['burst', 'rate = 1\n burst = §', ['1', '3']],
      ] as const
    ).map(([word, lines, values]) => [
      `security.rate_limit.${block === '' ? '' : `${block}.`}${word}`,
      tells(limit(block === '' ? lines : `${block} {\n ${lines}\n }`), values, floods(ask)),
    ]),
  );

const travels = 'runtime/src/engine/auth/protection/travel.test.ts';
const places = 'runtime/src/engine/auth/protection/geolocation.test.ts';

/** What is written of `security`. */
export const protection: Shown = {
  'security.brute_force.enabled': tells(quiet('enabled = §\n max_attempts = 2'), flags, fails(fast)),
  'security.brute_force.max_attempts': tells(quiet('max_attempts = §'), ['2', '9'], fails(fast)),
  'security.brute_force.window': tells(
    quiet('max_attempts = 2\n window = §'),
    ['"1m"', '"1h"'],
    fails([0, 5 * minute]),
  ),
  'security.brute_force.lockout_time': tells(quiet('max_attempts = 2\n lockout_time = §'), times, fails(fast)),
  'security.brute_force.track_by': tells(
    quiet('max_attempts = 2\n track_by = §'),
    ['"ip"', '"user"'],
    fails(fast, [{ email: 'b@example.test' }]),
  ),
  'security.brute_force.fail_delay': tells(security('brute_force', 'fail_delay = §'), ['0', '"1s"'], async (bed) => {
    await bed.register();
    await bed.login('Wrong-Horse-7');
    return bed.clock.waits.length;
  }),
  ...Object.fromEntries(
    (
      [
        ['enabled', 'enabled = §', flags],
        ['initial', 'initial = §', ['"1s"', '"2s"']],
        ['max', 'max = §', ['"3s"', '"9s"']],
        ['multiplier', 'multiplier = §', ['1', '3']],
      ] as const
    ).map(([word, lines, values]) => [
      `security.brute_force.progressive_delay.${word}`,
      tells(quiet(`max_attempts = 9\n progressive_delay {\n ${lines}\n }`), values, fails(fast)),
    ]),
  ),
  'security.replay_protection.enabled': tells(
    jwt(`${secret}\n rotation = false`, 'security {\n replay_protection {\n enabled = §\n }\n }'),
    flags,
    refreshes(1_000),
  ),
  'security.replay_protection.window': tells(
    jwt(`${secret}\n rotation = false`, 'security {\n replay_protection {\n window = §\n }\n }'),
    times,
    refreshes(15 * minute),
  ),
  'security.impossible_travel.enabled': tells(
    security('impossible_travel', 'enabled = §'),
    flags,
    async () => 'accepted',
  ),
  'security.impossible_travel.max_speed_kmh': [travels, 'R-29: may be as fast as max_speed_kmh'],
  'security.impossible_travel.min_distance_km': [
    travels,
    'within the accuracy of both places, or below min_distance_km, is not noticed',
  ],
  'security.impossible_travel.on_detect': [travels, 'R-29: on_detect = "%s"'],
  'security.impossible_travel.geoip.database': [places, 'knows cities by addresses of IPv4 and IPv6'],
  'security.impossible_travel.geoip.api': [places, 'S-75: is not at an address that the caller decides'],
  'security.device_binding.enabled': tells(binding('enabled = §\n on_new_device = "block"'), flags, twoDevices),
  'security.device_binding.fingerprint': tells(
    binding('on_new_device = "notify"\n fingerprint = §'),
    ['["user_agent"]', '["device_id"]'],
    devices({ agent: 'a', body: { device_id: 'x' } }, { agent: 'b', body: { device_id: 'x' } }),
  ),
  'security.device_binding.trust_duration': tells(
    binding('on_new_device = "notify"\n trust_duration = §'),
    times,
    devices({ agent: 'a' }, { agent: 'a', pass: 15 * minute }),
  ),
  'security.device_binding.max_devices': tells(
    binding('on_new_device = "notify"\n max_devices = §'),
    ['1', '2'],
    twoDevices,
  ),
  'security.device_binding.on_new_device': tells(binding('on_new_device = §'), ['"notify"', '"block"'], twoDevices),
  'security.rate_limit.enabled': tells(
    limit('enabled = §\n login {\n rate = 1\n }'),
    flags,
    floods((bed) => bed.login(goodPassword)),
  ),
  'security.rate_limit.key_by': tells(
    limit('key_by = §\n sessions {\n rate = 1\n }'),
    ['"ip"', '"user"'],
    async (bed) => {
      const tokens = [
        (await bed.register()).body.access_token,
        (await bed.register('b@example.test')).body.access_token,
      ];
      const seen = [];
      for (const token of tokens) seen.push((await bed.ask('me', { token })).status);
      return seen;
    },
  ),
  'security.rate_limit.rate': ['runtime/src/engine/auth/protection/limits.test.ts', 'R-29: are those that are written'],
  'security.rate_limit.burst': [
    'runtime/src/engine/auth/protection/limits.test.ts',
    'R-29: are those that are written',
  ],
  'security.rate_limit.window': tells(
    limit('window = §\n login {\n rate = 1\n }'),
    ['"1m"', '"5s"'],
    floods((bed) => bed.login(goodPassword)),
  ),
  ...limited('login', (bed) => bed.login(goodPassword)),
  ...limited('register', (bed) => bed.register('b@example.test')),
  ...limited('refresh', (bed) => bed.ask('refresh', { body: { refresh_token: 'x' } })),
  ...limited('logout', (bed) => bed.ask('logout')),
  ...limited('change_password', (bed) => bed.ask('password_change')),
  ...limited('sessions', (bed, token) => bed.ask('me', { token })),
};
