import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import type { Message } from '../../../foundation/contracts/message.ts';
import type { Outcome } from '../../../foundation/contracts/outcome.ts';
import { TcpBed } from '../testing/server-bed.ts';
import { jsonFrame, Talker } from '../testing/talker.ts';

describe('what a server of messages is configured with', () => {
  let directory: string;
  let own: Awaited<ReturnType<typeof generate>>;
  let bed: TcpBed;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'svc-tcp-'));
    own = await generate([{ name: 'commonName', value: 'scale-7' }], {
      algorithm: 'sha256',
      keySize: 2048,
      extensions: [
        { name: 'basicConstraints', cA: true },
        { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] },
      ],
    });
    await writeFile(join(directory, 'cert.pem'), own.cert);
    await writeFile(join(directory, 'key.pem'), own.private);
  });
  afterAll(() => rm(directory, { recursive: true }));
  beforeEach(() => {
    bed = new TcpBed();
  });
  afterEach(() => bed.close());

  const files = { cert: 'cert.pem', key: 'key.pem' };
  const who = ({ auth }: Message): Outcome => ({
    kind: 'reply',
    value: { user: auth.user_id, known: auth.authenticated },
  });

  test('S-87: `tls`: the certificate of the server, and those that clients must have; who that is, is `auth`', async () => {
    const open = (tls: Record<string, unknown>) => bed.open({ who }, { tls }, { directory });
    const trusted = { ca: own.cert, servername: 'localhost' };
    const asked = async (talker: Talker) => {
      talker.send({ type: 'who', id: '1' });
      return (await talker.answered(1)).get('1')?.['data'];
    };
    const plain = await open(files);
    expect(await asked(await bed.connect(plain, trusted))).toEqual({ user: '', known: false });
    await expect(Talker.connect(plain.port as number, { servername: 'localhost' })).rejects.toThrow('self-signed');
    const mutual = await open({ ...files, ca_cert: 'cert.pem' });
    const presented = { ...trusted, cert: own.cert, key: own.private };
    expect(await asked(await bed.connect(mutual, presented))).toEqual({ user: 'scale-7', known: true });
    const without = await bed.connect(mutual, trusted);
    await without.over();
    const off = await open({ ...files, enabled: false });
    expect(await asked(await bed.connect(off))).toEqual({ user: '', known: false });
  });

  test('`workers` messages are handled at a time, of all clients together', async () => {
    let running = 0;
    let most = 0;
    const ends: (() => void)[] = [];
    const flow = async (): Promise<Outcome> => {
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => ends.push(resolve));
      running--;
      return { kind: 'reply', value: null };
    };
    const server = await bed.open({ weigh: flow }, { workers: 2 });
    const clients = await Promise.all([1, 2, 3].map(() => bed.connect(server)));
    for (const client of clients) client.send({ type: 'weigh', id: '1' }, { type: 'weigh', id: '2' });
    await until(() => {
      for (const end of ends.splice(0)) end();
      return clients.every(({ answers }) => answers.length === 2);
    });
    expect(most).toBe(2);
  });

  test('A-05: `max_backlog`: no more is read of any client while so much waits', async () => {
    const begun: unknown[] = [];
    const ends: (() => void)[] = [];
    const flow = ({ input }: Message) => {
      begun.push(input['n']);
      return new Promise<Outcome>((resolve) => ends.push(() => resolve({ kind: 'reply', value: null })));
    };
    const server = await bed.open({ weigh: flow }, { max_backlog: 10_000 });
    const [one, other] = [await bed.connect(server), await bed.connect(server)];
    one.send({ type: 'weigh', id: '1', data: { n: 1, text: 'x'.repeat(10_000) } });
    await until(() => begun.length === 1);
    other.send({ type: 'weigh', id: '2', data: { n: 2 } });
    // Another server is answered meanwhile, so that the second message is not merely late.
    const apart = await bed.connect(await bed.open({ who }));
    apart.send({ type: 'who', id: '1' });
    await apart.answered(1);
    expect(begun).toEqual([1]);
    ends[0]?.();
    await until(() => begun.length === 2);
    ends[1]?.();
    await other.answered(1);
  });

  test('A-05: `max_unsent`: a client that does not read is cut off when so much waits for it', async () => {
    const flow = (): Outcome => ({ kind: 'reply', value: { text: 'x'.repeat(4_000_000) } });
    const server = await bed.open({ weigh: flow }, { max_unsent: 1_000_000 });
    const talker = await bed.connect(server);
    talker.socket.pause();
    talker.socket.write(Buffer.concat([jsonFrame({ type: 'weigh', id: '1' }), jsonFrame({ type: 'weigh', id: '2' })]));
    await until(() => bed.cuts.length > 0);
    expect(bed.cuts).toEqual(['unsent_limit']);
  });

  test('`max_message`: a larger one ends its connection, and a larger answer is an error', async () => {
    const flow = ({ input }: Message): Outcome => ({
      kind: 'reply',
      value: { text: 'x'.repeat(input['n'] as number) },
    });
    const talker = await bed.connect(await bed.open({ weigh: flow }, { max_message: 1_000 }));
    talker.send({ type: 'weigh', id: '1', data: { n: 10 } }, { type: 'weigh', id: '2', data: { n: 2_000 } });
    const answers = await talker.answered(2);
    expect(answers.get('1')?.['data']).toEqual({ text: 'x'.repeat(10) });
    expect(answers.get('2')?.['error']).toBe('the answer has more than 1000 bytes (max_message)');
    talker.send({ type: 'weigh', id: '3', data: { text: 'x'.repeat(1_000) } });
    await talker.over();
  });
});
