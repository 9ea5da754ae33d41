import { generateKeyPairSync } from 'node:crypto';
import { loadProject } from '@svc/protocol/model';
import { describe, expect, test } from 'vitest';
import type { EnvironmentGroup } from '../../../foundation/contracts/environment.ts';
import { environmentGroup } from '../../../service/config/environment.ts';
import { rsaBits } from '../../../service/config/rsa-bits.ts';
import { vocabulary } from '../../vocabulary.ts';
import { environmentRules } from './environment.ts';

const groups = ['development', 'staging', 'production'] as const;
const files: Record<string, string> = {};
const host = {
  env: () => undefined,
  readFile: (path: string) => files[path] ?? '',
  absolutePath: (path: string) => path,
};

/** What the rules of an environment say about a configuration. */
function found(text: string, group: EnvironmentGroup): readonly string[] {
  const loaded = loadProject(
    [{ path: 'a.hcl', text }],
    { vocabulary, host, expressionFunctions: [] },
    environmentRules(group, rsaBits),
  );
  return loaded.diagnostics.map(({ severity, message }) => `${severity}: ${message}`);
}

const shop = `
connector "api" {
  type = "rest"
  port = 3000
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "./a.db"
}
connector "prices" {
  type     = "http"
  base_url = "https://prices.example.org"
  tls {
    insecure_skip_verify = true
  }
}
flow "order" {
  from {
    connector = "api"
    operation = "POST /orders"
  }
  step "user" {
    connector = "db"
    query     = "SELECT 1 AS one"
  }
  enrich "price" {
    connector = "prices"
    operation = "GET /prices"
  }
  to {
    connector = "db"
    target    = "orders"
  }
}
`;

test('what is unwise is reported where it matters', () => {
  const unverified = 'warning: connector "prices" does not verify certificates: insecure_skip_verify is on';
  expect(groups.map((group) => found(shop, group).toSorted())).toEqual([
    [],
    [unverified],
    [
      'warning: connector "db" is an sqlite database',
      unverified,
      'warning: no caller is authenticated: no auth block, and none on "api"',
    ],
  ]);
});

test('R-96: outside development it is reported when every process runs a schedule', () => {
  const scheduled = (when: string) =>
    `connector "db" {\n  type     = "database"\n  driver   = "postgres"\n  url = "postgres://db/shop"\n}\nflow "clean" {\n  ${when}\n  to {\n    connector = "db"\n    query     = "DELETE FROM carts"\n  }\n}\n`;
  const reported = 'warning: every process of the service runs flow "clean" at each tick: its when names no storage';
  expect(groups.map((group) => found(scheduled('when = "@daily"'), group))).toEqual([[], [], [reported]]);
  expect(found(scheduled('when {\n    schedule = "@daily"\n    storage  = "db"\n  }'), 'production')).toEqual([]);
});

describe('S-12: keys that can be found by trying are refused outside development', () => {
  const rsa = (modulusLength: number) =>
    generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ type: 'spki', format: 'pem' }) as string;
  Object.assign(files, {
    'rsa1024.pem': rsa(1024),
    'rsa2048.pem': rsa(2048),
    'ec.pem': generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'pem' }),
    'nonsense.pem': 'no key',
  });
  const server = (keys: string) =>
    `connector "api" {\n  type = "rest"\n  auth {\n    type = "jwt"\n    ${keys}\n  }\n}\n`;
  const api = (keys: string) =>
    `connector "db" {\n  type = "database"\n  driver = "postgres"\n  url = "postgres://db/shop"\n}\nservice {\n  workflow {\n    storage = "db"\n    api {\n      auth {\n        type = "jwt"\n        ${keys}\n      }\n    }\n  }\n}\n`;

  test.each([
    [`secret = "${'x'.repeat(31)}"`, 'the secret has 31 bytes, fewer than 32'],
    [`secret = "${'x'.repeat(32)}"`, undefined],
    [`secret = "${'é'.repeat(16)}"`, undefined],
    ['secret = "short"\n    algorithms = ["HS512"]', 'the secret has 5 bytes, fewer than 32'],
    ['public_key = file("rsa1024.pem")', 'the RSA key has 1024 bits, fewer than 2048'],
    ['public_key = file("rsa2048.pem")', undefined],
    ['public_key = file("ec.pem")', undefined],
    ['public_key = file("nonsense.pem")', undefined],
  ])('%s', (keys, problem) => {
    for (const [who, text] of [
      ['connector "api"', server(keys)],
      ['workflow.api', api(keys)],
    ] as const) {
      const expected = problem === undefined ? [] : [`error: ${who}: ${problem}`];
      const errors = (group: EnvironmentGroup) => found(text, group).filter((line) => line.startsWith('error'));
      expect(groups.map(errors)).toEqual([[], expected, expected]);
    }
  });

  test('of the sign-in system too, those of before among them', () => {
    const weak = 'previous_secrets = ["short"]\n previous_public_keys = [file("rsa1024.pem"), file("rsa2048.pem")]';
    const text = `auth {\n jwt {\n algorithm = "RS256"\n secret = "little"\n ${weak}\n }\n}\n`;
    const errors = (group: EnvironmentGroup) => found(text, group).filter((line) => line.includes('fewer than'));
    const expected = [
      'error: auth: the secret has 6 bytes, fewer than 32',
      'error: auth: the secret has 5 bytes, fewer than 32',
      'error: auth: the RSA key has 1024 bits, fewer than 2048',
    ];
    expect(groups.map(errors)).toEqual([[], expected, expected]);
  });

  test('an environment of any other name counts as development', () => {
    expect(['PROD', 'stage', 'test'].map(environmentGroup)).toEqual(['production', 'staging', 'development']);
  });
});

test('a key set that comes over plain HTTP is reported in production', () => {
  const server = (address: string) =>
    `connector "api" {\n  type = "rest"\n  auth {\n    type = "jwt"\n    jwks_url = "${address}"\n  }\n}\nservice {\n  workflow {\n    storage = "memory"\n    api {\n      port = 9000\n      auth {\n        type = "jwt"\n        jwks_url = "${address}"\n      }\n    }\n  }\n}\n`;
  const reported = (address: string) =>
    groups.map((group) => found(server(address), group).filter((line) => line.includes('key set')));
  expect(reported('http://id.example.org/keys')).toEqual([
    [],
    [],
    [
      'warning: connector "api": the key set is fetched over http://',
      'warning: workflow.api: the key set is fetched over http://',
    ],
  ]);
  expect(reported('https://id.example.org/keys').flat()).toEqual([]);
});
