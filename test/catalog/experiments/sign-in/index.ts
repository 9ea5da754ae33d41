import { generateKeyPairSync } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { ana, goodPassword } from '../../../../runtime/src/engine/auth/testing/bed.ts';
import type { Proof } from '../../proof.ts';
import type { Experiment } from '../experiment.ts';
import type { Shown } from '../flows.ts';
import { serves } from '../running.ts';
import { connections, written } from '../synchronisation.ts';
import { endpoints, hooks, places } from './endpoints.ts';
import { external } from './external.ts';
import { factors } from './factors.ts';
import { passkeys } from './passkeys.ts';
import { passwords } from './passwords.ts';
import { protection } from './protection.ts';
import { providers } from './providers.ts';
import {
  aliveAfter,
  flags,
  jwt,
  minute,
  other,
  refreshes,
  type Story,
  secret,
  tells,
  times,
  tokenOf,
} from './stories.ts';

const pem = () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const text = (key: typeof privateKey, type: 'pkcs8' | 'spki') =>
    JSON.stringify(key.export({ type, format: 'pem' } as never));
  return { private: text(privateKey, 'pkcs8'), public: text(publicKey, 'spki') };
};
const [one, two] = [pem(), pem()];
const published: Story = async (bed) => (await bed.ask('jwks')).body?.keys.map(({ kid }: { kid: string }) => kid);

const database = (name: string) =>
  `connector "${name}" {\n type = "database"\n driver = "sqlite"\n database = "${name}.db"\n}\n`;
const stored = (lines: string) =>
  `service {\n admin_port = 0\n}\nconnector "api" {\n type = "rest"\n port = 0\n}\n${database('one')}${database('two')}auth {\n ${jwt(secret, lines)}\n}\n`;
const tables = (lines: string, values: Experiment['values']) =>
  serves(stored(lines), values, async (running) => running.tables());

const columns: Proof = [
  'runtime/src/engine/auth/store/relational/existing-tables.test.ts',
  'is used as it is: numbered ids, seconds, times without a zone, capital letters, roles with commas',
];
const former = 'runtime/src/engine/auth/tokens/elsewhere.test.ts';
const writer = 'runtime/src/engine/auth/audit/writer.test.ts';

/** What is written of the root block `auth`. */
export const signIn: Shown = {
  preset: tells(
    'preset = §\n jwt {\n secret = "a secret of at least thirty-two bytes"\n }',
    ['"standard"', '"relaxed"'],
    async ({ settings }) => settings,
  ),
  secret: tells('secret = §', ['"a secret of at least thirty-two bytes"', '""'], tokenOf),
  base_url: tells(
    other('base_url = §\n hooks {\n on_password_reset {\n flow = flow.f\n }\n }'),
    ['"https://a.test"', '"https://b.test"'],
    async (bed) => {
      await bed.register();
      await bed.ask('password_forgot', { body: { email: ana } });
      return bed.hooked.map(([, { reset_url: url }]) => new URL(String(url)).origin);
    },
  ),
  roles: tells(other('roles = { admin = § }'), ['["a:*"]', '["b:*"]'], async (bed) => {
    const { body } = await bed.register();
    await bed.system.accounts.update(body.user.id, { roles: ['admin'] }, 0);
    return decodeJwt((await bed.login(goodPassword)).body.access_token)['permissions'];
  }),

  'jwt.secret': tells(jwt('secret = §'), ['"a secret of at least thirty-two bytes"', '""'], tokenOf),
  'jwt.private_key': tells(jwt('algorithm = "RS256"\n private_key = §'), [one.private, two.private], published),
  'jwt.public_key': tells(
    jwt(`algorithm = "RS256"\n private_key = ${one.private}\n public_key = §`),
    [one.public, two.public],
    published,
  ),
  'storage.prefix': [
    'runtime/src/engine/auth/store/scopes.test.ts',
    'services with one prefix share a state, and are named to each other',
  ],
  'jwt.previous_secrets': [former, 'a secret of before checks its tokens, and signs none'],
  'jwt.previous_public_keys': [
    former,
    'a public key of before checks access tokens, and a private one refresh tokens too',
  ],
  'jwt.access_typ': tells(
    jwt(`${secret}\n issuer = "a"\n audience = ["b"]\n access_typ = §`),
    ['"JWT"', '"at+jwt"'],
    async (bed) => decodeProtectedHeader((await bed.register()).body.access_token).typ,
  ),
  'jwt.algorithm': tells(jwt(`${secret}\n algorithm = §`), ['"HS256"', '"HS512"'], tokenOf),
  'jwt.access_lifetime': tells(jwt(`${secret}\n access_lifetime = §`), times, tokenOf),
  'jwt.refresh_lifetime': tells(jwt(`${secret}\n refresh_lifetime = §`), ['"2h"', '"3h"'], tokenOf),
  'jwt.issuer': tells(jwt(`${secret}\n issuer = §`), ['"a"', '"b"'], tokenOf),
  'jwt.audience': tells(jwt(`${secret}\n audience = §`), ['["a"]', '["b"]'], tokenOf),
  'jwt.rotation': tells(jwt(`${secret}\n rotation = §`), flags, refreshes(6 * minute)),
  'jwt.reuse_leeway': tells(jwt(`${secret}\n reuse_leeway = §`), ['"5s"', '"30s"'], refreshes(10_000)),
  'jwt.key_rotation': tells(jwt('algorithm = "RS256"\n key_rotation = §'), ['"2h"', '"2d"'], async (bed) => {
    await bed.register();
    bed.clock.pass(180 * minute);
    await bed.register('b@example.test');
    return (await bed.ask('jwks')).body.keys.length;
  }),

  'users.connector': tables('users {\n connector = §\n }', ['connector.one', 'connector.two']),
  'users.table': tables('users {\n connector = connector.one\n table = §\n }', ['"a"', '"b"']),
  ...Object.fromEntries(
    ['id', 'email', 'password_hash', 'created_at', 'updated_at', 'mfa_enabled', 'password_changed_at', 'roles'].map(
      (name) => [`users.fields.${name}`, columns],
    ),
  ),

  'sessions.max_active': tells(other('sessions {\n max_active = §\n }'), ['1', '2'], async (bed) => {
    const { access_token: token } = (await bed.register()).body;
    await bed.login(goodPassword);
    return (await bed.caller(token)) !== undefined;
  }),
  'sessions.idle_timeout': tells(other('sessions {\n idle_timeout = §\n }'), times, aliveAfter(15 * minute)),
  'sessions.absolute_timeout': tells(
    other('sessions {\n absolute_timeout = §\n }'),
    times,
    aliveAfter(8 * minute, 8 * minute),
  ),
  'sessions.extend_on_activity': tells(
    other('sessions {\n idle_timeout = "10m"\n extend_on_activity = §\n }'),
    flags,
    aliveAfter(8 * minute, 8 * minute),
  ),
  'sessions.allow_list': tells(other('sessions {\n allow_list = §\n }'), flags, places),
  'sessions.allow_revoke': tells(other('sessions {\n allow_revoke = §\n }'), flags, places),
  'sessions.track': tells(other('sessions {\n track = §\n }'), ['["ip"]', '["user_agent"]'], async (bed) => {
    const { access_token: token } = (await bed.register()).body;
    const [{ ip, user_agent: agent }] = (await bed.ask('sessions_list', { token })).body.sessions;
    return [ip, agent];
  }),
  'sessions.on_max_reached': tells(
    other('sessions {\n max_active = 1\n on_max_reached = §\n }'),
    ['"revoke_oldest"', '"reject_new"'],
    async (bed) => {
      await bed.register();
      return (await bed.login(goodPassword)).status;
    },
  ),

  ...Object.fromEntries(
    Object.entries(written).map(([name, [storage, values]]) => [
      `storage.${name}`,
      serves(stored(`storage {\n ${storage}\n }`), values, connections, { recorded: true }),
    ]),
  ),
  'audit.enabled': tables('audit {\n connector = connector.one\n enabled = §\n }', flags),
  'audit.connector': tables('audit {\n connector = §\n }', ['connector.one', 'connector.two']),
  'audit.table': tables('audit {\n connector = connector.one\n table = §\n }', ['"a"', '"b"']),
  'audit.events': [writer, 'R-29: are of the events that are named'],
  'audit.required': [writer, 'R-29: those that are required refuse what they are about'],
  'endpoints.prefix': tells(other('endpoints {\n prefix = §\n }'), ['"/a"', '"/b"'], places),
  'routes.prefix': tells(other('routes {\n prefix = §\n }'), ['"/a"', '"/b"'], places),
  ...endpoints,
  ...factors,
  ...passkeys,
  ...providers,
  ...external,
  ...hooks,
  ...passwords,
  ...protection,
};
