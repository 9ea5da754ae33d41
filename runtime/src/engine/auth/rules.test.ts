import { functionDocumentation } from '@svc/protocol/cel';
import { loadProject } from '@svc/protocol/model';
import { expect, test } from 'vitest';
import { projectRules } from '../../checks/project-rules.ts';
import { vocabulary } from '../../checks/vocabulary.ts';
import { hooks } from './hooks/spec.ts';

const surroundings = `
connector "api" {
  type = "rest"
}
connector "memory" {
  type   = "cache"
  driver = "memory"
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "a.db"
}
flow "f" {
  from {
    connector = "api"
    operation = "GET /auth/me"
  }
  response {
    a = "1"
  }
}
`;

/** What is said of an `auth` block: severity and message, without what a whole service is missing. */
function said(lines: string, around = surroundings.replace('/auth/me', '/f')): string[] {
  return problemsOf(`auth {\n${lines}\n}\n${around}`);
}

function problemsOf(text: string): string[] {
  const host = { env: () => undefined, readFile: () => 'a PEM', absolutePath: (path: string) => path };
  const expressionFunctions = functionDocumentation.map(({ name }) => name);
  const files = [{ path: 'a.hcl', text }];
  const { diagnostics } = loadProject(files, { vocabulary, host, expressionFunctions }, projectRules);
  return diagnostics
    .filter(({ severity }) => severity !== 'info')
    .map(({ severity, message }) => `${severity}: ${message}`);
}

const hookNames = Object.keys(hooks.blocks ?? {});
const key = 'secret = "a secret of at least thirty-two bytes"';

test.each([
  ['no secret', '', ['error: tokens are signed with HS256, and there is no secret']],
  ['two secrets', `${key}\njwt {\n ${key}\n}`, ['error: `secret` and `jwt { secret }` are the same attribute']],
  ['an RSA key for HMAC', `${key}\njwt {\n private_key = file("k")\n}`, ['error: `private_key` is not read by HS256']],
  [
    'a public key alone',
    'jwt {\n algorithm = "RS256"\n public_key = file("k")\n}',
    ['error: `public_key` alone cannot sign tokens'],
  ],
  [
    'rotation of a configured key',
    'jwt {\n algorithm = "RS256"\n private_key = file("k")\n key_rotation = "30d"\n}',
    ['error: `key_rotation` has no effect on a configured key'],
  ],
  ['an unknown preset', `${key}\npreset = "paranoid"`, [expect.stringContaining('error: ')]],
  ['an unknown algorithm', 'jwt {\n algorithm = "none"\n secret = "a"\n}', [expect.stringContaining('error: ')]],
  [
    'accounts in a cache',
    `${key}\nusers {\n connector = connector.memory\n}`,
    [expect.stringContaining('is not a relational database, so it cannot keep accounts')],
  ],
  [
    'records in a cache',
    `${key}\naudit {\n connector = connector.memory\n}`,
    [expect.stringContaining('is not a relational database, so it cannot keep records')],
  ],
  [
    'lengths that exclude each other',
    `${key}\npassword {\n min_length = 20\n max_length = 10\n}`,
    ['error: no password has at least 20 and at most 10 characters'],
  ],
  [
    'a pattern that refuses everything',
    `${key}\npassword {\n reject_patterns = ["/a*/"]\n}`,
    [expect.stringContaining('cannot be used')],
  ],
  [
    'a warning of what never expires',
    `${key}\npassword {\n warn_before = "1d"\n}`,
    ['warning: `warn_before` has no effect'],
  ],
  [
    'a list that is not asked',
    `${key}\npassword {\n breach_url = "https://a.test/"\n}`,
    ['warning: `breach_url` has no effect'],
  ],
  [
    'travel without a map',
    `${key}\nsecurity {\n impossible_travel {\n on_detect = "block"\n }\n}`,
    ['error: impossible_travel does not know where addresses are'],
  ],
  [
    'a map without places',
    `${key}\nsecurity {\n impossible_travel {\n geoip {\n api = "https://a.test/"\n }\n }\n}`,
    [expect.stringContaining('{ip}')],
  ],
  [
    'waits that shrink',
    `${key}\nsecurity {\n brute_force {\n progressive_delay {\n initial = "10s"\n max = "1s"\n }\n }\n}`,
    ['error: the first wait is longer than the longest one'],
  ],
  [
    'a hook that refuses afterwards',
    `${key}\nhooks {\n after_login {\n flow = flow.f\n on_error = "fail"\n }\n}`,
    ['error: hook after_login cannot refuse anything: it runs afterwards'],
  ],
  ['a hook of no flow', `${key}\nhooks {\n after_login {\n flow = flow.g\n }\n}`, [expect.stringContaining('error: ')]],
  [
    'two endpoints at one place',
    `${key}\nendpoints {\n login {\n path = "/register"\n }\n}`,
    ['error: endpoints register and login are both at POST /auth/register'],
  ],
  [
    'a secret beside an RSA key',
    `preset = "development"\n${key}\njwt {\n algorithm = "RS256"\n private_key = file("k")\n}`,
    ['error: `secret` is not read: tokens are signed with `private_key`'],
  ],
  [
    'a leeway of tokens that are not rotated',
    `${key}\njwt {\n rotation = false\n reuse_leeway = "5s"\n}`,
    ['error: `reuse_leeway` has no effect: refresh tokens are not rotated'],
  ],
  [
    'an endpoint that is not served',
    `${key}\nendpoints {\n jwks {\n path = "/keys"\n }\n}`,
    ['error: endpoint jwks is not served with these settings'],
  ],
  [
    'keys of before that are not read',
    `${key}\njwt {\n previous_public_keys = ["p"]\n}`,
    ['error: `previous_public_keys` is not read by HS256'],
  ],
  [
    'a secret of before beside an RSA key',
    'preset = "development"\njwt {\n algorithm = "RS256"\n private_key = file("k")\n previous_secrets = ["s"]\n}',
    ['error: `previous_secrets` is not read: tokens are signed with `private_key`'],
  ],
  [
    'a secret of before that is empty',
    `${key}\njwt {\n previous_secrets = [""]\n}`,
    ['error: an element of `previous_secrets` is empty'],
  ],
  [
    'access tokens of RFC 9068 for no one',
    `${key}\njwt {\n issuer = "a"\n access_typ = "at+jwt"\n}`,
    ['error: access tokens of type at+jwt name an issuer and an audience (RFC 9068)'],
  ],
  [
    'a lifetime that is not a time',
    `${key}\njwt {\n access_lifetime = "soon"\n}`,
    [expect.stringContaining('error: ')],
  ],
  [
    'a window that is not a time',
    `${key}\nsecurity {\n brute_force {\n window = "often"\n }\n}`,
    [expect.stringContaining('error: ')],
  ],
  ['another kind of hash', `${key}\npassword {\n algorithm = "bcrypt"\n}`, [expect.stringContaining('error: ')]],
  ['claims of its own', `${key}\njwt {\n claims = { plan = "'x'" }\n}`, [expect.stringContaining('error: ')]],
  [
    'rules about addresses',
    `${key}\nsecurity {\n ip_rules {\n blocklist = ["192.0.2.1"]\n }\n}`,
    [expect.stringContaining('error: ')],
  ],
  ['a place of sessions', `${key}\nsessions {\n track = ["location"]\n}`, [expect.stringContaining('error: ')]],
  ...['include', 'retention', 'stream_to'].map((word): [string, string, string[]] => [
    `${word} of records`,
    `${key}\naudit {\n connector = connector.db\n ${word} = "30d"\n}`,
    [expect.stringContaining('error: ')],
  ]),
  ...hookNames.map((name): [string, string, string[]] => [
    `hook ${name} of a flow that is not there`,
    `${key}\nhooks {\n ${name} {\n flow = flow.none\n }\n}`,
    [expect.stringContaining('error: ')],
  ]),
])('%s is refused', (_what, lines, problems) => {
  expect(said(lines)).toEqual(problems);
});

const guarded = (lines: string) =>
  surroundings.replace('/auth/me', '/f').replace('"rest"', `"rest"\n auth {\n type = "jwt"\n ${lines}\n }`);
const ended =
  'error: connector "api" checks tokens with `secret` of the sign-in system, without their sessions: one that has ended is accepted';

test('S-19: a connector that has the key of the sign-in system, and not its sessions, is refused', () => {
  expect(said(key, guarded(key))).toEqual([ended]);
  expect(said(`jwt {\n ${key}\n}`, guarded(key))).toEqual([ended]);
  expect(said(key, guarded('secret = "another secret of thirty-two bytes"'))).toEqual([]);
  const former = 'jwt {\n previous_secrets = ["another secret of thirty-two bytes"]\n}';
  expect(said(`${key}\n${former}`, guarded('secret = "another secret of thirty-two bytes"'))).toEqual([ended]);
  expect(said(key, guarded(''))).toEqual([]);
  const pair = 'jwt {\n algorithm = "RS256"\n private_key = file("k")\n public_key = file("p")\n}';
  expect(said(pair, guarded('public_key = file("p")'))).toEqual([ended.replace('secret', 'public_key')]);
});

test('what preset strict lacks is said by name', () => {
  expect(said('preset = "strict"')).toEqual([
    'warning: preset "strict" detects impossible travel, and nothing says where addresses are: it is off',
  ]);
});

test('a flow that takes the place of an endpoint is named', () => {
  expect(said(key, surroundings)).toEqual(['warning: flow "f" takes the place of the sign-in endpoint me']);
});

test('a service without routes signs no one in', () => {
  expect(said(key, '')).toEqual(['warning: no connector serves routes, so no one can sign in']);
});

const mfa = (lines: string) => `${key}\nmfa {\n${lines}\n}`;
const passkeys = 'webauthn {\n rp_id = "a.test"\n rp_origins = ["https://a.test"]\n}';

test.each([
  ['no factor to enrol', 'methods = []', ['error: no factor can be enrolled: `methods` is empty']],
  ['a factor that there is not', 'methods = ["sms"]', [expect.stringContaining('error: ')]],
  ...['sms', 'email', 'push'].map((word) => [`mfa.${word}`, `${word} {\n}`, [expect.stringContaining(word)]] as const),
  ['a recovery code as a factor', 'methods = ["recovery"]', [expect.stringContaining('error: ')]],
  [
    'passkeys of no domain',
    'methods = ["webauthn"]',
    ['error: passkeys are offered, and nothing says for which domain they are'],
  ],
  [
    'passkeys for no page',
    'webauthn {\n rp_id = "a.test"\n}',
    ['error: passkeys are offered, and nothing says which pages may ask for them'],
  ],
  [
    'two factors, one of which can be enrolled',
    'required = "true"\nrequire_multiple = true\nmethods = ["totp"]',
    ['error: accounts must have 2 factors, and only totp can be enrolled'],
  ],
  [
    'two factors, where passkeys have no domain',
    'required = "admin_only"\nmin_factors = 2',
    ['error: accounts must have 2 factors, and only totp can be enrolled'],
  ],
  ['more factors than there are', 'required = "true"\nmin_factors = 3', [expect.stringContaining('error: ')]],
  [
    'grace without a duty',
    'grace_period = "7d"',
    ['warning: `grace_period` has no effect: no account must have a factor'],
  ],
  [
    'a number of factors that no one must have',
    'min_factors = 2',
    ['warning: `min_factors` has no effect: no account must have a factor'],
  ],
  [
    'two factors that no one must have',
    'require_multiple = true',
    ['warning: `require_multiple` has no effect: no account must have a factor'],
  ],
  [
    'roles beside everybody',
    'required = "true"\nrequire_for = ["admin"]',
    ['warning: `require_for` has no effect: every account must have a factor'],
  ],
  [
    'roles beside no one',
    'required = "false"\nrequire_for = ["admin"]',
    ['warning: `require_for` has no effect: no account must have a factor'],
  ],
  [
    'an app that is not offered',
    `methods = ["webauthn"]\n${passkeys}\ntotp {\n digits = 8\n}`,
    ['warning: totp is not offered: `methods` does not name it'],
  ],
  [
    'passkeys that are not offered',
    `methods = ["totp"]\n${passkeys}`,
    ['warning: webauthn is not offered: `methods` does not name it'],
  ],
  [
    'the length of codes that are not made',
    'recovery {\n enabled = false\n code_length = 10\n}',
    ['warning: `code_length` has no effect: no recovery codes are made'],
  ],
  [
    'S-28: codes that are guessed',
    'recovery {\n code_length = 3\n}',
    ['warning: a recovery code of 3 characters has 15 bits: it is guessed too easily'],
  ],
  ['S-28: codes of 20 bits', 'recovery {\n code_length = 4\n}', []],
  ['two factors that can be enrolled', `required = "true"\nmin_factors = 2\n${passkeys}`, []],
  ['a duty of roles', 'require_for = ["admin"]\ngrace_period = "7d"', []],
  ['another spelling of everybody', 'required = "required"', []],
] as const)('second factors: %s', (_what, lines, problems) => {
  expect(said(mfa(lines))).toEqual(problems);
});

const presetKeys = { strict: '', standard: key, relaxed: key, development: key } as const;

test.each(
  (['strict', 'standard', 'relaxed', 'development'] as const).flatMap((preset) =>
    [
      'mfa {\n require_for = ["admin"]\n }',
      'mfa {\n require_multiple = true\n methods = ["totp", "webauthn"]\n webauthn {\n rp_id = "a.test"\n rp_origins = ["https://a.test"]\n }\n }',
      'mfa {\n min_factors = 1\n }',
      'mfa {\n grace_period = "7d"\n }',
      'password {\n breach_check = false\n breach_url = "https://a.test/"\n }',
      'password {\n warn_before = "1d"\n }',
    ].map((lines) => [preset, lines] as const),
  ),
)('preset %s with what may have no effect is not an error: %s', (preset, lines) => {
  const problems = said(`preset = "${preset}"\n${presetKeys[preset]}\n${lines}`) as readonly string[];
  expect(problems.filter((problem) => !problem.startsWith('warning: '))).toEqual([]);
});

const users = 'users {\n connector = connector.db\n}';

test('secrets of apps that would be kept as they are: a secret seals them, whatever signs tokens', () => {
  const around = surroundings.replace('/auth/me', '/f');
  const rsa = 'jwt {\n algorithm = "RS256"\n private_key = file("k")\n}';
  expect(said(`${rsa}\n${users}`, around)).toEqual([
    'warning: the secrets of authenticator apps are kept as they are: there is no secret to seal them with',
  ]);
  expect(said(`${key}\n${rsa}\n${users}`, around)).toEqual([]);
});

const gated = (server = '') => `connector "api" {
  type = "rest"
  ${server}
}
flow "f" {
  from {
    connector = connector.api
    operation = "GET /f"
  }
  require {
    mfa = "15m"
  }
  response {
    a = "1"
  }
}
`;
const ownKeys = 'auth {\n type = "api_key"\n keys = ["k"]\n }';

test.each([
  [
    'where factors are off',
    `${key}\npreset = "development"`,
    '',
    ['flow "f" requires a second factor, and the service offers no factor'],
  ],
  [
    'behind credentials that are not of the sign-in system',
    key,
    ownKeys,
    ['flow "f" requires a second factor, and callers of connector "api" (rest server) prove none'],
  ],
  ['', key, '', []],
  ['behind the tokens of the sign-in system', key, 'auth {\n type = "jwt"\n }', []],
] as const)('a flow that requires a second factor %s', (_where, lines, server, problems) => {
  expect(said(lines, gated(server))).toEqual(problems.map((problem) => expect.stringContaining(problem)));
});

test('a flow that requires a second factor without a sign-in system', () => {
  expect(problemsOf(gated())).toContain('error: flow "f" requires a second factor, and the service offers no factor');
});
