import { describe, expect, onTestFinished, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import type { DatabaseConnector } from '../../../connectors/database/engine.ts';
import { type Engine, engines } from '../../../connectors/database/testing/engines.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { memoryLog } from '../../../service/running/testing/fakes.ts';
import { TestClock } from '../../../tools/harness/clock.ts';
import type { Client } from '../client.ts';
import { momentFrom } from '../store/relational/values.ts';
import { AuditTable } from './table.ts';
import type { AuditRecord } from './trail.ts';
import { AuditWriter, type AuditWriterOptions } from './writer.ts';

const client: Client = { ip: '192.0.2.7', userAgent: 'curl/8', deviceId: 'secret-device' };
const start = Date.parse('2030-01-02T03:04:05.678Z');
const record = (own: Partial<AuditRecord> = {}): AuditRecord => ({
  event: 'login',
  user_id: 'ana',
  email: 'ana@a.test',
  client,
  success: true,
  reason: undefined,
  metadata: {},
  ...own,
});

function writerOf(table: AuditWriterOptions['table'], own: Partial<AuditWriterOptions> = {}) {
  const clock = new TestClock(start);
  const { log, lines } = memoryLog();
  const counted = { failures: 0 };
  const failed = () => void counted.failures++;
  const options = { table, events: undefined, required: false, clock, log, failed, ...own };
  return { writer: new AuditWriter(options), clock, lines, counted };
}

/** A table that answers as a test says, and keeps what was written. */
function tableThat(insert: (event: string) => Promise<unknown> = async () => undefined) {
  const written: string[] = [];
  const rows: Parameters<AuditTable['insert']>[0][] = [];
  const table: AuditWriterOptions['table'] = {
    open: async () => undefined,
    insert: async (row) => {
      await insert(row.event);
      written.push(row.event);
      rows.push(row);
    },
  };
  return { table, written, rows };
}

const events = ['login', 'logout', 'register', 'password_change'] as const;
const away = () => Promise.reject(new Failure('connector_refused', 'no connection'));

describe('records', () => {
  test('are written in their order, behind their requests', async () => {
    const gate = Promise.withResolvers<void>();
    const { table, written } = tableThat(() => gate.promise);
    const { writer } = writerOf(table);
    for (const event of events) await writer.record(record({ event }));
    expect([writer.waiting, written]).toEqual([4, []]);
    gate.resolve();
    await until(() => writer.waiting === 0);
    expect(written).toEqual(events);
  });

  test('R-29: are of the events that are named', async () => {
    const { table, written } = tableThat();
    const { writer } = writerOf(table, { events: ['logout', 'register'] });
    for (const event of events) await writer.record(record({ event }));
    await until(() => writer.waiting === 0);
    expect(written).toEqual(['logout', 'register']);
    const all = tableThat();
    const everything = writerOf(all.table, { events: [] }).writer;
    for (const event of events) await everything.record(record({ event }));
    await until(() => everything.waiting === 0);
    expect(all.written).toEqual(events);
  });

  test('S-92: hold no credential', async () => {
    const { table, rows } = tableThat();
    const { writer } = writerOf(table, { required: true });
    const metadata = {
      reset_token: 'credential-1',
      nested: { password: 'credential-2', secret: ['credential-3'] },
      km: 5,
    };
    await writer.record(record({ email: 'my password is credential-4', metadata }));
    await writer.record(record({ metadata: { text: 'x'.repeat(20_000) } }));
    expect(JSON.stringify(rows)).not.toMatch(/credential|secret-device/);
    expect(rows[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      event: 'login',
      user_id: 'ana',
      email: undefined,
      ip: '192.0.2.7',
      user_agent: 'curl/8',
      success: true,
      error_reason: undefined,
      metadata: '{"reset_token":"***","nested":{"password":"***","secret":"***"},"km":5}',
      created_at: start,
    });
    expect(rows[1]?.metadata).toBe('{}');
  });
});

describe('while they cannot be written', () => {
  test('they wait, in order; nothing is silent', async () => {
    const refuses = { yes: true };
    const { table, written } = tableThat(() => (refuses.yes ? away() : Promise.resolve()));
    const { writer, lines, counted } = writerOf(table);
    for (const event of events) await writer.record(record({ event }));
    await until(() => counted.failures >= 3);
    expect(lines).toEqual([
      { level: 'error', message: 'audit records cannot be written: they wait', fields: { error: 'no connection' } },
    ]);
    refuses.yes = false;
    await until(() => writer.waiting === 0);
    expect(written).toEqual(events);
    expect(lines[1]).toMatchObject({ level: 'info', message: 'audit records are written again' });
  });

  test('a bounded number waits; each that is lost is said and counted', async () => {
    const { table } = tableThat(() => new Promise(() => undefined));
    const { writer, lines, counted } = writerOf(table, { most: 2 });
    for (const event of events) await writer.record(record({ event }));
    expect([writer.waiting, counted.failures]).toEqual([2, 2]);
    const lost = { level: 'error', message: 'an audit record is lost' };
    const fields = { user_id: 'ana', success: true, error: 'too many wait to be written' };
    expect(lines).toEqual([
      { ...lost, fields: { ...fields, event: 'register' } },
      { ...lost, fields: { ...fields, event: 'password_change' } },
    ]);
  });

  test('one that the database refuses for ever holds up no other', async () => {
    const refusal = new Failure('connector_failed', 'value too long', { retriable: false });
    const { table, written } = tableThat(async (event) => {
      if (event === 'logout') throw refusal;
    });
    const { writer, lines } = writerOf(table);
    for (const event of events) await writer.record(record({ event }));
    await until(() => writer.waiting === 0);
    expect(written).toEqual(['login', 'register', 'password_change']);
    expect(lines.filter(({ message }) => message === 'an audit record is lost')).toHaveLength(1);
  });

  test('R-29: those that are required refuse what they are about', async () => {
    const { table } = tableThat(away);
    const { writer, lines, counted } = writerOf(table, { required: true });
    await expect(writer.record(record())).rejects.toMatchObject({ code: 'store_unavailable', retryAfter: 1_000 });
    expect([counted.failures, writer.waiting, lines.length]).toEqual([1, 0, 1]);
    const filtered = writerOf(table, { required: true, events: ['logout'] }).writer;
    await filtered.record(record());
  });
});

describe('a stop', () => {
  test('writes what waits', async () => {
    const gate = Promise.withResolvers<void>();
    const { table, written } = tableThat(() => gate.promise);
    // Time passes only while nothing happens: the clock of the machine.
    const { writer, lines } = writerOf(table);
    for (const event of events) await writer.record(record({ event }));
    const stopped = writer.stop();
    gate.resolve();
    await stopped;
    expect([written, writer.waiting, lines]).toEqual([events, 0, []]);
    await writer.stop();
  });

  test('gives up after five seconds, and says what is lost', async () => {
    const { table } = tableThat(() => new Promise(() => undefined));
    const { writer, clock, lines, counted } = writerOf(table);
    for (const event of events) await writer.record(record({ event }));
    await writer.stop();
    expect([clock.elapsed(), writer.waiting, lines.length, counted.failures]).toEqual([5_000, 0, 4, 4]);
    await writer.record(record());
    expect([writer.waiting, lines.length, counted.failures]).toEqual([0, 5, 5]);
  });

  test('writes the record of a request that was under way before its answer, and says when it cannot', async () => {
    const refuses = { yes: false };
    const { table, written } = tableThat(() => (refuses.yes ? away() : Promise.resolve()));
    const { writer, lines, counted } = writerOf(table);
    await writer.stop();
    await writer.record(record({ event: 'login' }));
    expect([written, writer.waiting, lines]).toEqual([['login'], 0, []]);
    refuses.yes = true;
    await writer.record(record({ event: 'logout' }));
    expect([writer.waiting, lines.at(-1)?.message, counted.failures]).toEqual([0, 'an audit record is lost', 2]);
  });

  test('ends the tries of a database that is unavailable', async () => {
    const { table } = tableThat(away);
    const { writer, clock, lines } = writerOf(table);
    await writer.record(record());
    await writer.stop();
    expect(clock.elapsed()).toBe(5_000);
    expect(lines.at(-1)).toMatchObject({ message: 'an audit record is lost' });
    const { failures } = { failures: lines.length };
    await clock.sleep(60_000);
    expect(lines).toHaveLength(failures);
  });
});

const opened = async ({ start: open }: Engine) => {
  const engine = await open();
  onTestFinished(() => engine.end());
  return engine;
};
const ask = async ({ target }: DatabaseConnector, query: string) => {
  const call = { verb: 'call', operation: undefined, target: undefined, timeout: undefined, exact: true } as const;
  return (
    (await target.prepare({ ...call, query, fresh: true, flow: 'test', label: 'test' })({ params: {} })).rows ?? []
  );
};
const tableOf = (connector: DatabaseConnector, table = 'auth_audit') =>
  new AuditTable({ connector, dialect: connector.dialect.runtimeTables, table });
const selected = 'event, user_id, email, ip, user_agent, success, error_reason, created_at';

describe.each(engines.filter(({ skip }) => !skip))('$engine', (engine) => {
  test('keeps every column', async () => {
    const { connector } = await opened(engine);
    const { writer } = writerOf(tableOf(connector), { required: true });
    await writer.open();
    await writer.record(record({ metadata: { session_id: 's', text: 'ü "\\ 💥 \u0000' } }));
    await writer.record(
      record({
        event: 'failed_login',
        user_id: undefined,
        email: 'x',
        client: undefined,
        success: false,
        reason: 'unknown_account',
      }),
    );
    const metadata = connector.dialect.runtimeTables.asText('metadata');
    const rows = await ask(connector, `SELECT ${selected}, ${metadata} FROM auth_audit ORDER BY event DESC`);
    const [first = {}, second = {}] = rows.map(
      (row): Record<string, unknown> => ({
        ...row,
        success: Boolean(Number(row['success'])),
      }),
    );
    expect(first).toMatchObject({
      event: 'login',
      user_id: 'ana',
      email: 'ana@a.test',
      ip: '192.0.2.7',
      user_agent: 'curl/8',
      success: true,
      error_reason: null,
    });
    expect(JSON.parse(String(first['metadata']))).toEqual({ session_id: 's', text: 'ü "\\ 💥 \u0000' });
    expect(momentFrom(first['created_at'])).toBe(start);
    expect(second).toMatchObject({
      event: 'failed_login',
      user_id: null,
      email: null,
      ip: null,
      user_agent: null,
      success: false,
      error_reason: 'unknown_account',
      metadata: '{}',
    });
  });

  test('is opened by two processes at once, and again', async () => {
    const { connector, another } = await opened(engine);
    const other = await another();
    await Promise.all([tableOf(connector).open(), tableOf(other).open()]);
    const table = tableOf(other);
    await table.open();
    const { writer } = writerOf(table, { required: true });
    await writer.record(record());
    expect(await ask(connector, 'SELECT event FROM auth_audit')).toEqual([{ event: 'login' }]);
  });

  test('with a table that exists: what it lacks is named, and rows that it numbers are numbered', async () => {
    const { connector } = await opened(engine);
    await ask(connector, 'CREATE TABLE poor (id INTEGER, event TEXT, created_at BIGINT)');
    await expect(tableOf(connector, 'poor').open()).rejects.toMatchObject({
      code: 'connector_failed',
      retriable: false,
      message: expect.stringContaining(
        'lacks user_id, email, ip, user_agent, success, error_reason, metadata; add them',
      ),
    });
    await ask(
      connector,
      `CREATE TABLE numbered (id ${engine.key}, event TEXT, user_id INTEGER, email TEXT, ip TEXT, user_agent TEXT, success INTEGER, error_reason TEXT, metadata TEXT, created_at BIGINT)`,
    );
    const { writer } = writerOf(tableOf(connector, 'numbered'), { required: true });
    await writer.open();
    await writer.record(record({ user_id: '42' }));
    await writer.record(record());
    expect(await ask(connector, 'SELECT id, user_id, success, created_at FROM numbered ORDER BY id')).toEqual([
      { id: 1n, user_id: 42n, success: 1n, created_at: BigInt(start) },
      { id: 2n, user_id: null, success: 1n, created_at: BigInt(start) },
    ]);
  });
});
