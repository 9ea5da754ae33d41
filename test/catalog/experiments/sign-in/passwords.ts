import { ana, cheapHash, goodPassword } from '../../../../runtime/src/engine/auth/testing/bed.ts';
import type { Shown } from '../flows.ts';
import { better, flags, minute, noDelay, password, type Story, secret, tells, times } from './stories.ts';

/** Which of these passwords may be that of a new account. */
const accepts =
  (...passwords: readonly string[]): Story =>
  async (bed) =>
    Promise.all(
      passwords.map(
        async (each, at) => (await bed.register(`a${at}@example.test`, each)).body.error?.message ?? 'accepted',
      ),
    );

const hash = 'runtime/src/engine/auth/passwords/hash.test.ts';
const breach = 'runtime/src/engine/auth/passwords/breach.test.ts';

/** What is written of `password`. */
export const passwords: Shown = {
  'password.min_length': tells(password('min_length = §'), ['8', '16'], accepts(goodPassword)),
  'password.max_length': tells(password('max_length = §'), ['10', '20'], accepts(goodPassword)),
  'password.require_upper': tells(password('require_upper = §'), flags, accepts('correct-horse-7')),
  'password.require_lower': tells(password('require_lower = §'), flags, accepts('CORRECT-HORSE-7')),
  'password.require_number': tells(password('require_number = §'), flags, accepts('Correct-Horse')),
  'password.require_special': tells(password('require_special = §'), flags, accepts('CorrectHorse7')),
  'password.reject_patterns': tells(password('reject_patterns = §'), ['["horse"]', '["/^b/"]'], accepts(goodPassword)),
  'password.history': tells(password('history = §'), ['0', '1'], async (bed) => {
    const { access_token: token } = (await bed.register()).body;
    return (
      await bed.ask('password_change', { token, body: { current_password: goodPassword, new_password: goodPassword } })
    ).status;
  }),
  'password.max_age': tells(password('max_age = §'), times, async (bed) => {
    const { access_token: token } = (await bed.register()).body;
    bed.clock.pass(15 * minute);
    return (await bed.ask('me', { token })).status;
  }),
  'password.warn_before': tells(password('max_age = "60m"\n warn_before = §'), times, async (bed) => {
    await bed.register();
    bed.clock.pass(45 * minute);
    return (await bed.login(goodPassword)).body.password_expires_at;
  }),
  'password.breach_check': [breach, 'R-29: has a password as often as it says, and learns five characters of a digest'],
  'password.breach_url': [breach, 'R-29: has a password as often as it says, and learns five characters of a digest'],
  'password.reset_token_ttl': tells(
    password('reset_token_ttl = §', `${noDelay}\n hooks {\n on_password_reset {\n flow = flow.f\n }\n }`),
    times,
    async (bed) => {
      await bed.register();
      await bed.ask('password_forgot', { body: { email: ana } });
      bed.clock.pass(15 * minute);
      const token = bed.hooked[0]?.[1]['reset_token'];
      return (await bed.ask('password_reset', { body: { token, new_password: better } })).status;
    },
  ),
  ...Object.fromEntries(
    (
      [
        ['memory', ['19456', '20480']],
        ['iterations', ['1', '2']],
        ['parallelism', ['1', '2']],
      ] as const
    ).map(([word, values]) => {
      const cost = cheapHash.replace(new RegExp(`${word} = \\d+`), `${word} = §`);
      const lines = `jwt {\n ${secret}\n }\n password {\n ${cost}\n }`;
      return [
        `password.${word}`,
        tells(lines, values, async (bed) => {
          await bed.register();
          return (await bed.system.accounts.byEmail(ana))?.passwordHash?.split('$').slice(0, 4);
        }),
      ];
    }),
  ),
  'password.max_concurrent': [hash, 'is done for so many at a time; as many wait, and further ones are refused'],
  'password.max_waiting': [hash, 'is done for so many at a time; as many wait, and further ones are refused'],
};
