import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { MongoClient } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MongodbStandIn } from '../../../../../test/support/servers/mongodb/stand-in.ts';
import { until } from '../../../../../test/support/until.ts';
import { failureOf } from '../testing/parts.ts';
import { type OpenedDatabase, openDatabase } from './testing/opened.ts';

/** What is done to the next answer of the server that is longer than a greeting's answer to a ping. */
type Fault = (answer: Buffer, client: Socket) => void;

let standIn: MongodbStandIn;
let between: Server;
let database: OpenedDatabase;
let fault: Fault | undefined;
const sockets = new Set<Socket>();

beforeAll(async () => {
  standIn = await MongodbStandIn.start();
  const client = new MongoClient(`mongodb://127.0.0.1:${standIn.port}/?directConnection=true`);
  await client
    .db('faulty')
    .collection('items')
    .insertMany(Array.from({ length: 300 }, (_, n) => ({ n, marker: 'marked' })));
  await client.close();
  between = createServer((near) => {
    const far = connect(standIn.port, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    near.on('data', (piece) => far.write(piece));
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    far.on('data', (piece: Buffer) => {
      if (fault !== undefined && piece.includes('marked')) fault(piece, near);
      else near.write(piece);
    });
  });
  await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => between.close(resolve));
  await standIn.stop();
});
beforeEach(async () => {
  const { port } = between.address() as AddressInfo;
  database = await openDatabase({ host: '127.0.0.1', port, credentials: '', name: 'faulty' } as never, {
    statement_timeout: 1_000,
    max_rows: 400,
  });
});
afterEach(async () => {
  fault = undefined;
  await database.connector.close(AbortSignal.abort());
});

const retriable = ['connector_timeout', 'connector_refused'];

describe('A-04: a server that', () => {
  const faults: Readonly<Record<string, Fault>> = {
    'declares an answer of two gigabytes': (answer, client) => {
      answer.writeInt32LE(2 ** 31 - 1, 0);
      client.write(answer);
    },
    'declares an answer that is shorter than it is': (answer, client) => {
      answer.writeInt32LE(24, 0);
      client.write(answer);
    },
    'declares a negative length': (answer, client) => {
      answer.writeInt32LE(-5, 0);
      client.write(answer);
    },
    'declares more than it sends, and sends no more': (answer, client) => {
      answer.writeInt32LE(answer.length + 1_000, 0);
      client.write(answer);
    },
    'sends an answer that never ends, one byte at a time': (answer, client) => {
      answer.writeInt32LE(40_000_000, 0);
      client.write(answer);
      const drops = setInterval(() => client.writable && client.write('x'), 5);
      client.on('close', () => clearInterval(drops));
    },
    'declares a document that is longer than its message': (answer, client) => {
      answer.writeInt32LE(1_000_000, 21);
      client.write(answer);
    },
    'answers in another protocol': (_, client) =>
      client.write('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\nmarked'),
    'ends the connection in the middle of an answer': (answer, client) => {
      client.write(answer.subarray(0, answer.length >> 1));
      client.resetAndDestroy();
    },
  };
  test.each(Object.keys(faults))(
    '%s gives a typed failure in time, and is used again when it stops',
    async (name) => {
      fault = faults[name];
      const failure = await failureOf(() => database.rows({ target: 'items' }));
      expect([
        retriable.includes(failure.code) || `${failure.code} ${failure.message}`,
        failure.message.length < 1_000,
      ]).toEqual([true, true]);
      fault = undefined;
      expect(await until(() => database.rows({ target: 'items' }).catch(() => undefined))).toHaveLength(300);
    },
    20_000,
  );

  test('gives ever more documents is asked no further than one read may answer', async () => {
    const few = await openDatabase(
      { host: '127.0.0.1', port: standIn.port, credentials: '', name: 'faulty' } as never,
      {
        max_rows: 150,
      },
    );
    const before = standIn.commands.cursors.size;
    const failure = await failureOf(() => few.rows({ target: 'items', query: '[]' }));
    expect(failure.message).toMatch(/more than 150 documents/);
    await until(() => standIn.commands.cursors.size === before);
    await few.connector.close();
  });
});
