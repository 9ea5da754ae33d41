import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { untilPassed } from '../../../../test/support/until.ts';
import { memoryLog } from '../../service/running/testing/fakes.ts';
import { startText } from '../../service/running/testing/text-service.ts';

const server = process.env['TEST_REDIS_URL'];

const service = (name: string, auth: string, more = '') => `
  service {
    name       = "${name}"
    admin_port = 0
  }
  connector "api" {
    type = "rest"
    port = env("PORT")
  }
  auth {
    ${auth}
  }
  ${more}`;

const secret = 'secret = "a secret of at least thirty-two bytes"';
const users = (table: string) => `
  users {
    connector = "db"
    table     = "${table}"
  }`;

/** Lines of the log of a service that say something of a kind. */
async function linesOf(text: string, kind: RegExp) {
  const { log, lines } = memoryLog();
  const running = await startText(text, {}, { log });
  onTestFinished(() => running.stop());
  return () =>
    lines
      .filter(({ message }) => kind.test(message))
      .map(({ level, message, fields }) => ({ level, message, ...fields }));
}

test('a key that the service makes, and keeps nowhere, is said once at start, with what to write', async () => {
  const lines = await linesOf(service('shop', 'preset = "strict"'), /key of the tokens/);
  expect(lines()).toEqual([
    expect.objectContaining({
      level: 'warn',
      help: 'keep it with the accounts (auth { users { connector } }), or write jwt { private_key }',
    }),
  ]);
});

test('a key that is written, or kept with the accounts, is not', async () => {
  const lines = await linesOf(service('shop', secret), /key of the tokens/);
  expect(lines()).toEqual([]);
});

test.skipIf(server === undefined)(
  'a scope that services share is named at start; other accounts in it are a warning',
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'svc-auth-log-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const file = join(directory, 'accounts.db');
    new DatabaseSync(file).close();
    const db = `connector "db" {
    type     = "database"
    driver   = "sqlite"
    database = "${file}"
  }`;
    const prefix = randomUUID();
    const auth = (table: string) => `${secret}
    storage {
      driver = "redis"
      url    = "${server}"
      prefix = "${prefix}"
    }
    ${users(table)}`;
    const kind = /sessions, locks and links of sign-in are shared/;
    const first = await linesOf(service('shop', auth('members'), db), kind);
    await untilPassed(() => expect(first()).toEqual([expect.objectContaining({ level: 'info', scope: prefix })]));
    expect(first()[0]).not.toHaveProperty('services');
    const same = await linesOf(service('stock', auth('members'), db), kind);
    await untilPassed(() =>
      expect(same()).toEqual([expect.objectContaining({ level: 'info', scope: prefix, services: ['shop'] })]),
    );
    const other = await linesOf(service('mail', auth('people'), db), kind);
    await untilPassed(() =>
      expect(other()).toEqual([
        expect.objectContaining({
          level: 'warn',
          message: expect.stringContaining('services that have other accounts'),
          scope: prefix,
          services: ['shop', 'stock'],
        }),
      ]),
    );
  },
);
