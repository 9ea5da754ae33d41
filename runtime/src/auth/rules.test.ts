import { functionDocumentation } from '@svc/protocol/cel';
import { loadProject } from '@svc/protocol/model';
import { expect, test } from 'vitest';
import { vocabulary } from '../catalog.ts';
import { projectRules } from '../project-rules.ts';

const surroundings = `
connector "api" {
  type = "rest"
}
connector "memory" {
  type   = "cache"
  driver = "memory"
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
  const host = { env: () => undefined, readFile: () => 'a PEM', absolutePath: (path: string) => path };
  const expressionFunctions = functionDocumentation.map(({ name }) => name);
  const files = [
    { path: 'a.hcl', text: `auth {\n${lines}\n}\n` },
    { path: 'b.hcl', text: around },
  ];
  const { diagnostics } = loadProject(files, { vocabulary, host, expressionFunctions }, projectRules);
  return diagnostics
    .filter(({ severity }) => severity !== 'info')
    .map(({ severity, message }) => `${severity}: ${message}`);
}

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
    ['error: `warn_before` has no effect'],
  ],
  [
    'a list that is not asked',
    `${key}\npassword {\n breach_url = "https://a.test/"\n}`,
    ['error: `breach_url` has no effect'],
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
    `${key}\njwt {\n algorithm = "RS256"\n private_key = file("k")\n}`,
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
  ['what is not built', `${key}\naccount_linking {\n}`, [expect.stringContaining('error: ')]],
])('%s is refused', (_what, lines, problems) => {
  expect(said(lines)).toEqual(problems);
});

test('what preset strict lacks is said by name', () => {
  expect(said('preset = "strict"')).toEqual([
    'warning: preset "strict" detects impossible travel, and nothing says where addresses are: it is off',
    'warning: preset "strict" asks for a second factor, which is not built yet',
  ]);
});

test('a flow that takes the place of an endpoint is named', () => {
  expect(said(key, surroundings)).toEqual(['warning: flow "f" takes the place of the sign-in endpoint me']);
});

test('a service without routes signs no one in', () => {
  expect(said(key, '')).toEqual(['warning: no connector serves routes, so no one can sign in']);
});
