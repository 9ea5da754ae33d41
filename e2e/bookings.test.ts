import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningService, runCommand, startService } from '../test/support/service.ts';
import { ask, copyExample } from './example.ts';

const server = process.env['TEST_POSTGRES_URL'];

describe.skipIf(server === undefined || server === '')('bookings on PostgreSQL', () => {
  const { directory, remove } = copyExample('bookings-postgres');
  // A database of its own, since the server may hold other databases.
  const database = `svc_bookings_${randomBytes(6).toString('hex')}`;
  const url = new URL(server ?? 'postgres://absent');
  url.pathname = `/${database}`;
  const env = { DATABASE_URL: url.href };
  let service: RunningService;

  const sql = async (address: string, text: string): Promise<Record<string, unknown>[]> => {
    const client = new pg.Client(address);
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };

  beforeAll(async () => {
    await sql(server!, `CREATE DATABASE ${database}`);
    const migrated = await runCommand(['migrate', '-c', directory], env);
    expect(migrated, migrated.stderr).toMatchObject({ code: 0 });
    service = await startService({ directory, env });
  });

  afterAll(async () => {
    await service?.stop();
    await sql(server!, `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
    remove();
  });

  const seatsLeft = async (): Promise<unknown> =>
    (await sql(url.href, 'SELECT seats_left FROM events'))[0]?.['seats_left'];

  test('takes seats for all guests', async () => {
    const { status, body } = await ask('POST', `${service.address}/bookings`, {
      event_id: 1,
      guests: ['Clara', 'Robert'],
    });
    const { booking } = body as { booking: string };
    expect({ status, booking }).toEqual({ status: 201, booking: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    expect(await ask('GET', `${service.address}/bookings/${booking}/guests`)).toEqual({
      status: 200,
      body: [{ name: 'Clara' }, { name: 'Robert' }],
    });
    expect(await seatsLeft()).toBe(38);
  });

  test('takes none when too few are left, and none for an event that is not there', async () => {
    const many = Array.from({ length: 39 }, (_, index) => `Guest ${index}`);
    const refused = { status: 409, body: { booking: null } };
    expect(await ask('POST', `${service.address}/bookings`, { event_id: 1, guests: many })).toEqual(refused);
    expect(await ask('POST', `${service.address}/bookings`, { event_id: 9, guests: ['Clara'] })).toEqual(refused);
    expect(await seatsLeft()).toBe(38);
  });

  test('a statement that fails undoes the others', async () => {
    const { status } = await ask('POST', `${service.address}/bookings`, { event_id: 1, guests: ['Clara', null] });
    expect(status).toBe(500);
    expect(await seatsLeft()).toBe(38);
    expect(await sql(url.href, 'SELECT count(*)::int AS count FROM guests')).toEqual([{ count: 2 }]);
  });

  test('two at once cannot take the same seats', async () => {
    const half = Array.from({ length: 25 }, (_, index) => `Guest ${index}`);
    const both = await Promise.all(
      [1, 2].map(() => ask('POST', `${service.address}/bookings`, { event_id: 1, guests: half })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(await seatsLeft()).toBe(13);
  });
});
