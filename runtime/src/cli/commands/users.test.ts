import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { never, services, sql, sqliteConnector } from '../../connectors/database/testing/parts.ts';
import { RelationalAccountStore } from '../../engine/auth/store/relational/accounts.ts';
import { usersOf } from '../../engine/auth/store/testing/account-beds.ts';
import { redisStateOf } from '../../engine/auth/store/testing/redis-state.ts';
import { long, many, sessionOf } from '../../engine/auth/store/testing/state-subject.ts';
import { inDirectory, typed } from '../testing/typed.ts';

const server = process.env['TEST_REDIS_URL'];

const configuration = (auth: string) => `connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "app.db"
}
connector "api" {
  type = "rest"
  port = 0
}
auth {
  preset   = "development"
  base_url = "https://shop.example.test"
  jwt {
    secret = "0123456789abcdef0123456789abcdef"
  }
${auth}
}
`;
const users = `  users {
    connector = connector.db
    fields {
      roles = "roles"
    }
  }`;
const shared = `${users}
  storage {
    driver = "redis"
    url    = "${server}"
  }`;

type Svc = (words: readonly string[], input?: string) => ReturnType<typeof typed>;

function withUsers<T>(auth: string, use: (svc: Svc, directory: string) => Promise<T>, files = {}): Promise<T> {
  return inDirectory({ 'a.hcl': configuration(auth), ...files }, (directory) =>
    use((words, input = '') => typed(words, directory, {}, input), directory),
  );
}

const password = 'correct horse battery';
const bcrypt = `$2b$10$${'N9qo8uLOickgx2ZMRZoMye'}${'IjZAgcfl7p92ldGxad68LJZdL17lhWy'}`;
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

describe('svc users', () => {
  test('the first administrator is added, shown and listed, and no hash is printed', () =>
    withUsers(users, async (svc, directory) => {
      const words = ['users', 'add', 'Ada@Example.test', '--role', 'admin', '--role', 'editor', '--password-stdin'];
      expect(await svc(words, `${password}\n`)).toEqual({ status: 0, out: 'ada@example.test: added\n', error: '' });
      expect(await svc(words, password)).toEqual({
        status: 1,
        out: '',
        error: 'svc users: there is an account ada@example.test already\n',
      });
      const json = await svc(['users', 'show', 'ADA@example.test', '--format', 'json']);
      expect(JSON.parse(json.out)).toEqual({
        user: {
          id: expect.stringMatching(/^[0-9a-f]{32}$/),
          email: 'ada@example.test',
          created_at: expect.stringMatching(time),
          updated_at: expect.stringMatching(time),
          roles: ['admin', 'editor'],
          locked: false,
          has_password: true,
        },
      });
      const listed = await svc(['users']);
      expect(listed.out.replace(time, 'TIME')).toBe(
        'EMAIL             ROLES         STATE  CREATED\nada@example.test  admin,editor         TIME\n',
      );
      expect(json.out + listed.out).not.toContain('argon2');
      expect(readFileSync(join(directory, 'app.db')).includes(password)).toBe(false);
    }));

  test('pages, and what is not there', () =>
    withUsers(users, async (svc) => {
      expect((await svc(['users', 'list'])).out).toBe('No accounts.\n');
      for (const name of ['a', 'b', 'c']) await svc(['users', 'add', `${name}@x.test`, '--password-stdin'], password);
      const page = await svc(['users', 'list', '--limit', '2']);
      expect(page.out).toMatch(/^EMAIL .*\na@x\.test .*\nb@x\.test .*\nMore: --after b@x\.test\n$/);
      const next = await svc(['users', 'list', '--limit', '2', '--after', 'b@x.test', '--format', 'json']);
      expect(JSON.parse(next.out)).toMatchObject({ users: [{ email: 'c@x.test' }], next: null });
      for (const word of ['show', 'lock', 'unlock', 'roles', 'delete'])
        expect(await svc(['users', word, 'none@x.test'])).toEqual({
          status: 1,
          out: '',
          error: 'svc users: there is no account none@x.test\n',
        });
      expect((await svc(['users', 'show', 'not an address'])).error).toBe(
        'svc users: "not an address" is not an email address\n',
      );
    }));

  test('locks, unlocks and changes roles', () =>
    withUsers(users, async (svc) => {
      await svc(['users', 'add', 'ana@x.test', '--role', 'a', '--password-stdin'], password);
      const notEnded =
        'Its sessions are in the memory of the service, and last there until their tokens are refreshed.\n';
      expect((await svc(['users', 'lock', 'ana@x.test'])).out).toBe(`ana@x.test: locked\n${notEnded}`);
      expect((await svc(['users'])).out).toContain('locked');
      expect((await svc(['users', 'unlock', 'ana@x.test'])).out).toBe('ana@x.test: unlocked\n');
      expect((await svc(['users', 'roles', 'ana@x.test'])).out).toBe('a\n');
      expect((await svc(['users', 'roles', 'ana@x.test', '--role', 'b', '--role', 'c'])).out).toBe(
        `ana@x.test: has these roles now: b, c\n${notEnded}`,
      );
      expect((await svc(['users', 'roles', 'ana@x.test', '--none'])).status).toBe(0);
      expect((await svc(['users', 'roles', 'ana@x.test'])).out).toBe('No roles.\n');
    }));

  test('what is changed is recorded, and no secret with it', () =>
    withUsers(`${users}\n  audit {\n    connector = connector.db\n  }`, async (svc, directory) => {
      await svc(['users', 'add', 'ana@x.test', '--role', 'a', '--password-stdin'], password);
      await svc(['users', 'roles', 'ana@x.test', '--role', 'b']);
      await svc(['users', 'delete', 'ana@x.test', '--yes']);
      const database = sqliteConnector({ database: 'app.db' }, services(directory));
      await database.open(never);
      const { rows } = await sql(database, 'SELECT event, email, metadata FROM auth_audit ORDER BY created_at, event');
      await database.close();
      expect(rows).toEqual([
        { event: 'register', email: 'ana@x.test', metadata: '{"roles":["a"]}' },
        { event: 'account_changed', email: 'ana@x.test', metadata: '{"roles":["b"]}' },
        { event: 'account_changed', email: 'ana@x.test', metadata: '{"deleted":true}' },
      ]);
    }));

  test('asks before it deletes', () =>
    withUsers(users, async (svc) => {
      for (const name of ['a', 'b']) await svc(['users', 'add', `${name}@x.test`, '--password-stdin'], password);
      const question = 'Delete a@x.test and everything that belongs to it? [y/N] ';
      const out = 'Nothing was done: it was not confirmed. Without a question: --yes.\n';
      expect(await svc(['users', 'delete', 'a@x.test'], 'no\n')).toEqual({ status: 1, out, error: question });
      expect(await svc(['users', 'delete', 'a@x.test'])).toEqual({ status: 1, out, error: question });
      expect((await svc(['users', 'delete', 'a@x.test'], 'y\n')).out).toMatch(/^a@x\.test: deleted\n/);
      expect((await svc(['users', 'delete', 'b@x.test', '--yes'])).error).toBe('');
      expect((await svc(['users'])).out).toBe('No accounts.\n');
    }));

  test('shows factors, and removes those that a person has lost after it has asked', () =>
    withUsers(`${users}\n  audit {\n    connector = connector.db\n  }`, async (svc, directory) => {
      await svc(['users', 'add', 'ana@x.test', '--password-stdin'], password);
      const { user } = JSON.parse((await svc(['users', 'show', 'ana@x.test', '--format', 'json'])).out);
      const database = sqliteConnector({ database: 'app.db' }, services(directory));
      await database.open(never);
      const { runtimeTables: dialect } = database.dialect;
      const store = new RelationalAccountStore({ connector: database, dialect, users: usersOf({}, 'users') });
      await store.open();
      await store.factors.beginTotp(user.id, 's');
      await store.factors.confirmTotp(user.id, 's', 1, 1);
      await store.factors.setRecoveryCodes(user.id, ['a', 'b']);
      await store.update(user.id, { mfaEnabled: true }, 1);
      const words = ['users', 'factors', 'ana@x.test'];
      expect((await svc(words)).out).toBe('totp            true\npasskeys        0\nrecovery_codes  2\n');
      expect((await svc(['users', 'show', 'ana@x.test'])).out).toMatch(/mfa_methods +\["totp"\]/);
      const out = 'Nothing was done: it was not confirmed. Without a question: --yes.\n';
      const question = 'Remove totp of ana@x.test? [y/N] ';
      expect(await svc([...words, '--remove', 'totp'], 'no\n')).toEqual({ status: 1, out, error: question });
      expect((await svc([...words, '--remove', 'passkeys', '--yes'])).error).toBe(
        'svc users: ana@x.test has nothing of this: passkeys\n',
      );
      expect((await svc([...words, '--remove', 'totp'], 'y\n')).out).toMatch(/^ana@x\.test: totp removed\n/);
      // The last factor is gone, and its recovery codes with it.
      expect((await svc([...words, '--format', 'json'])).out).toBe(
        `${JSON.stringify({ totp: false, passkeys: 0, recovery_codes: 0 }, null, 2)}\n`,
      );
      expect((await svc(['users', 'show', 'ana@x.test'])).out).not.toContain('mfa');
      const { rows } = await sql(database, "SELECT metadata FROM auth_audit WHERE event = 'mfa_disabled'");
      expect(rows).toEqual([{ metadata: '{"method":"totp"}' }]);
      await database.close();
    }));

  test('what only the service holds is refused by name', async () => {
    await withUsers('', async (svc) => {
      expect(await svc(['users'])).toEqual({
        status: 1,
        out: '',
        error:
          'svc users: the memory of the service alone holds its accounts; write auth { users { connector = … } }\n',
      });
    });
    await withUsers(users, async (svc) => {
      await svc(['users', 'add', 'ana@x.test', '--password-stdin'], password);
      const remedy = 'write auth { storage { driver = "redis" } }';
      expect((await svc(['users', 'sessions', 'ana@x.test'])).error).toBe(
        `svc users: the memory of the service alone holds sessions: ${remedy}\n`,
      );
      expect((await svc(['users', 'reset', 'ana@x.test'])).error).toBe(
        `svc users: the memory of the service alone holds a link that sets a password: ${remedy}\n`,
      );
      expect((await svc(['users', 'add', 'eve@x.test'])).error).toContain('give the password with --password-stdin');
    });
    await inDirectory({ 'a.hcl': 'service {\n  name = "x"\n}\n' }, async (directory) => {
      expect(await typed(['users'], directory)).toMatchObject({
        status: 1,
        error: 'svc users: the configuration has no auth block\n',
      });
    });
  });

  test('wrong usage is said', () =>
    withUsers(users, async (svc) => {
      for (const [words, says] of [
        [['frob'], '"frob" is unknown; it can be list, add,'],
        [['show'], '"show" takes one EMAIL'],
        [['list', 'x'], '"list" takes no argument'],
        [['factors', 'a@x.test', '--remove', 'phone'], '--remove'],
        [['show', 'a@x.test', '--yes'], '--yes belongs to "sessions"'],
        [['list', '--limit', '0'], '--limit takes a whole number from 1 to 1000'],
        [['add', 'a@x.test', '--password-stdin'], 'there is no password in standard input'],
        [['roles', 'a@x.test', '--none', '--limit', '2'], '--limit belongs to "list"'],
      ] as const) {
        const answer = await svc(['users', ...words]);
        expect(answer.error).toContain(says);
        expect(answer.out).toBe('');
      }
    }));
});

describe.skipIf(server === undefined)('svc users with sessions that processes share', () => {
  test('lists and ends sessions, and prints a link that sets a password', () =>
    withUsers(`${shared}\n  audit {\n    connector = connector.db\n  }`, async (svc, directory) => {
      const email = `${randomUUID()}@x.test`;
      const added = await svc(['users', 'add', email, '--format', 'json']);
      const { user, reset_token: token, reset_url: url } = JSON.parse(added.out) as Record<string, never>;
      expect([token, url]).toEqual([
        expect.stringMatching(/^[\w-]{43}$/),
        `https://shop.example.test/reset-password#token=${token}`,
      ]);
      expect(user).toMatchObject({ email, has_password: false });
      const { id } = user as unknown as { readonly id: string };
      const database = sqliteConnector({ database: 'app.db' }, services(directory));
      await database.open(never);
      const { runtimeTables: dialect } = database.dialect;
      const store = new RelationalAccountStore({ connector: database, dialect, users: usersOf({}, 'users') });
      await store.open();
      await database.close();
      const state = redisStateOf(server, { scope: store.scope });
      await state.open(never);
      try {
        const [first, second] = [sessionOf(id, { userAgent: 'evil\u001b[2Jagent' }), sessionOf(id)];
        for (const session of [first, second]) await state.sessions.begin(session, long, many, '');
        const listed = await svc(['users', 'sessions', email]);
        expect(listed.out).toContain(first.id);
        expect(listed.out).toContain('evil?[2Jagent');
        expect((await svc(['users', 'sessions', email, '--end'], 'n\n')).status).toBe(1);
        expect(await state.sessions.of(id)).toHaveLength(2);
        expect((await svc(['users', 'sessions', email, '--end', '--yes'])).out).toBe(
          `${email}: is signed out\n2 sessions ended\n`,
        );
        for (const [words, says] of [
          [['lock', email], 'locked\n1 sessions ended\n'],
          [['roles', email, '--role', 'x'], 'has these roles now: x\n1 sessions ended\n'],
          [['delete', email, '--yes'], 'deleted\n1 sessions ended\n'],
        ] as const) {
          await state.sessions.begin(sessionOf(id), long, many, await state.sessions.generation(id));
          expect((await svc(['users', ...words])).out).toBe(`${email}: ${says}`);
          expect(await state.sessions.of(id)).toEqual([]);
        }
        await database.open(never);
        const { rows } = await sql(database, "SELECT metadata FROM auth_audit WHERE event = 'session_revoked'");
        await database.close();
        expect(rows).toEqual([{ metadata: '{"all":true}' }]);
      } finally {
        await state.close();
      }
    }));
});

describe('svc users import', () => {
  const django = 'pbkdf2_sha256$260000$salt$2GcwIVEdjUJBZCBHkeTeaVMdM4xyyiFgnnqsdnYHxzA=';
  const csv = `email,password_hash,roles,created_at,metadata,locked
Ana@X.test,${bcrypt},"admin,editor",2020-01-02T03:04:05Z,"{""plan"":""pro""}",true
bob@x.test,${django},,1600000000,,
not an address,${bcrypt},,,,
eve@x.test,md5:0123456789abcdef,,,,
ANA@x.test,${bcrypt},,,,
"line
feed@x.test",,,,,
carl@x.test,,,soon,,
dora@x.test,,,,,
`;
  const refused = [
    { place: 'line 4', reason: 'it has no valid email' },
    { place: 'line 5', reason: 'its password_hash is of no form that can be verified' },
    { place: 'line 6', reason: 'its address is that of line 2' },
    { place: 'line 8', reason: 'it has no valid email' },
    { place: 'line 9', reason: 'a time of it is neither RFC 3339 nor seconds since 1970' },
  ];

  test('takes CSV with old hashes, says what it refuses, and can be repeated', () =>
    withUsers(
      users,
      async (svc) => {
        const first = await svc(['users', 'import', 'users.csv', '--format', 'json']);
        expect(JSON.parse(first.out)).toEqual({ imported: 3, present: 0, refused });
        expect([first.status, first.out.includes('md5'), first.out.includes('$2b$')]).toEqual([1, false, false]);
        const again = await svc(['users', 'import', 'users.csv']);
        expect(again.out.split('\n').slice(-3)).toEqual([
          'refused: line 9: a time of it is neither RFC 3339 nor seconds since 1970',
          '0 imported, 3 present already, 5 refused',
          '',
        ]);
        const ana = JSON.parse((await svc(['users', 'show', 'ana@x.test', '--format', 'json'])).out) as object;
        expect(ana).toMatchObject({
          user: {
            created_at: '2020-01-02T03:04:05.000Z',
            roles: ['admin', 'editor'],
            metadata: { plan: 'pro' },
            locked: true,
            has_password: true,
          },
        });
      },
      { 'users.csv': csv },
    ));

  test('takes JSON and lines of JSON', () => {
    const items = [
      { email: 'a@x.test', password_hash: bcrypt, roles: ['r'], metadata: { a: 1 }, created_at: null },
      { email: 'b@x.test', admin: true },
      'text',
      { email: 'c@x.test', roles: [1] },
      { email: 'd@x.test', metadata: [] },
      { email: 'e@x.test', locked: 'perhaps' },
    ];
    const reasons = [
      'it has unknown fields; known are email, password_hash, roles, metadata, created_at, password_changed_at, locked',
      'it has no valid email',
      'its roles are neither a list nor separated by commas',
      'its metadata are not a JSON object',
      'its locked is neither true nor false',
    ];
    return withUsers(
      users,
      async (svc) => {
        const json = JSON.parse((await svc(['users', 'import', 'u.json', '--format', 'json'])).out) as object;
        expect(json).toEqual({
          imported: 1,
          present: 0,
          refused: reasons.map((reason, index) => ({ place: `item ${index + 2}`, reason })),
        });
        const lines = JSON.parse((await svc(['users', 'import', 'u.jsonl', '--format', 'json'])).out) as object;
        expect(lines).toEqual({
          imported: 0,
          present: 1,
          refused: [
            ...reasons.map((reason, index) => ({ place: `line ${index + 2}`, reason })),
            { place: 'line 8', reason: 'it has no valid email' },
          ],
        });
      },
      {
        'u.json': JSON.stringify(items),
        'u.jsonl': `${items.map((item) => JSON.stringify(item)).join('\n')}\n\n{"email": "secret@x.test\n`,
      },
    );
  });

  test('says why a file cannot be read, and shows nothing of it', () =>
    withUsers(
      users,
      async (svc) => {
        for (const [file, says] of [
          ['none.csv', 'it does not exist'],
          ['x.txt', 'its name does not end with .csv, .json, .jsonl or .ndjson'],
          ['bad.json', 'it is not JSON'],
          ['object.json', 'it is not a list of objects'],
          ['folder.json', 'it is not a file'],
        ] as const)
          expect(await svc(['users', 'import', file])).toEqual({
            status: 1,
            out: '',
            error: `svc users: the file cannot be read: ${says}\n`,
          });
        expect((await svc(['users', 'import', 'short.csv'])).out).toBe(
          'refused: line 2: it has another number of fields than the header\n1 imported, 0 present already, 1 refused\n',
        );
        expect((await svc(['users', 'import', 'quotes.csv'])).error).toBe(
          'svc users: the file cannot be read: it is not CSV at line 2 (INVALID_OPENING_QUOTE)\n',
        );
      },
      {
        'x.txt': '',
        'bad.json': '[{"password_hash": "secret',
        'object.json': '{}',
        'folder.json/a': '',
        'short.csv': 'email,password_hash\na@x.test\nb@x.test,\n',
        'quotes.csv': 'email,password_hash\na@x.test,secret"x"\n',
      },
    ));

  test('says how far it is', () => {
    const rows = Array.from({ length: 2_100 }, (_, index) => JSON.stringify({ email: `u${index}@x.test` }));
    return withUsers(
      users,
      async (svc) => {
        expect(await svc(['users', 'import', 'u.jsonl'])).toEqual({
          status: 0,
          out: '2100 imported, 0 present already, 0 refused\n',
          error:
            '1000 records: 1000 imported, 0 present, 0 refused\n2000 records: 2000 imported, 0 present, 0 refused\n',
        });
      },
      { 'u.jsonl': rows.join('\n') },
    );
  });
});

describe('svc keys and svc migrate', () => {
  test('the key that the service made is replaced, and the one before is still published', () =>
    inDirectory(
      {
        'a.hcl': configuration(users).replace(/ {2}jwt \{[^}]*\}/, '  jwt {\n    algorithm = "RS256"\n  }'),
      },
      async (directory) => {
        const first = JSON.parse((await typed(['keys', 'rotate', '--format', 'json'], directory)).out) as Record<
          string,
          unknown
        >;
        const second = JSON.parse((await typed(['keys', 'rotate', '--format', 'json'], directory)).out) as Record<
          string,
          unknown
        >;
        expect(first).toEqual({ before: expect.any(String), now: expect.any(String), published: 2 });
        expect(second).toEqual({ before: first['now'], now: expect.any(String), published: 3 });
        expect(second['now']).not.toBe(first['now']);
      },
    ));

  test('keys that are configured are not replaced', () =>
    withUsers(users, async (svc) => {
      expect(await svc(['keys', 'rotate'])).toEqual({
        status: 1,
        out: '',
        error: 'svc keys: the keys are configured; replace them where jwt { } takes them from\n',
      });
      expect((await svc(['keys', 'make'])).error).toContain('it can be rotate');
    }));

  test('migrations make the tables of the accounts, after the files', () =>
    withUsers(
      users,
      async (svc) => {
        expect(await svc(['migrate'])).toEqual({
          status: 0,
          out: 'Applying 1.sql... OK\n1 applied to "db".\nTables of the sign-in system are in "db".\n',
          error: '',
        });
        expect((await svc(['users', 'add', 'ana@x.test', '--password-stdin'], password)).status).toBe(0);
        expect((await svc(['migrate', 'status'])).out).toBe('[applied] 1.sql\n');
      },
      {
        'migrations/1.sql':
          'CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT UNIQUE, password_hash TEXT, created_at TEXT, updated_at TEXT, roles TEXT)',
      },
    ));

  test('a table that lacks a column is said', () =>
    withUsers(
      users,
      async (svc) => {
        const says = /table "users" of connector "db" cannot keep accounts: columns .*"roles" are missing/;
        expect(await svc(['migrate'])).toMatchObject({ status: 1, error: expect.stringMatching(says) });
        expect(await svc(['users'])).toMatchObject({ status: 1, error: expect.stringMatching(says) });
      },
      { 'migrations/1.sql': 'CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT UNIQUE)' },
    ));
});
