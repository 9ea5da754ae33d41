import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { untilPassed } from '../../support/until.ts';
import { type Scenario, startScenario } from '../scenario.ts';
import { measure, measured, megabyte, megabytes, type Peer, startPeer } from './peer.ts';

let service: Scenario;
let peer: Peer;
let temporary: string;

beforeAll(async () => {
  peer = await startPeer();
  temporary = mkdtempSync(join(tmpdir(), 'svc-files-'));
  service = await startScenario(import.meta.dirname, { env: { PEER_URL: peer.address, TMPDIR: temporary } });
});

afterAll(async () => {
  await service?.end();
  await peer?.[Symbol.asyncDispose]();
  if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
});

beforeEach(() => {
  peer.stored.length = 0;
});

const boundary = 'the-boundary';
const head = (name: string, filename: string, type = 'application/octet-stream') =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: ${type}\r\n\r\n`;
const tail = `\r\n--${boundary}--\r\n`;

/** Begins an upload, whose body the test writes. */
function begin(path: string, headers: Record<string, string | number> = {}, address = service.address) {
  const request = httpRequest(address + path, {
    method: 'POST',
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, ...headers },
  });
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    request.on('response', resolve);
    request.on('error', reject);
  });
  answer.catch(() => undefined);
  return { request, answer };
}

async function write(request: ClientRequest, chunks: Iterable<Buffer | string>): Promise<void> {
  for (const chunk of chunks)
    if (!request.write(chunk)) await new Promise<void>((resolve) => request.once('drain', () => resolve()));
}

/** Uploads one file and gives what is answered. */
async function upload(path: string, chunks: Iterable<Buffer | string>, name = 'doc', address = service.address) {
  const { request, answer } = begin(path, {}, address);
  await write(request, [head(name, 'a.bin')]);
  await write(request, chunks);
  request.end(tail);
  return answer;
}

async function json(answer: IncomingMessage): Promise<unknown> {
  return JSON.parse(Buffer.concat(await answer.toArray()).toString());
}

/** Peak of the resident memory of a service, in bytes. */
function peak({ pid }: Scenario = service): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

/** Files that the service has open, sockets and pipes aside. */
function openFiles(): number {
  return readdirSync(`/proc/${service.pid}/fd`).length;
}

const large = () => megabytes(100);
const whole = measured(large());

describe('nothing near the size of a file is held', () => {
  // What the first call loads, and how far the young generation grows under load, is not of a file.
  beforeAll(async () => void (await json(await upload('/forward', megabytes(32)))));
  test.each([
    [
      'an upload that is not read',
      async () => json(await upload('/describe', large())),
      { filename: 'a.bin', type: 'application/octet-stream', size: whole.size },
    ],
    [
      'an upload that is sent on',
      async () => json(await upload('/forward', large())),
      { stored: whole.size, type: 'application/octet-stream' },
    ],
    ['an upload that is answered', async () => measure(await upload('/echo', large())), whole],
    ['a download', async () => measure((await fetch(`${service.address}/download?kind=large`)).body as never), whole],
  ])('%s', async (_, exchange, expected) => {
    const before = peak();
    expect(await exchange()).toEqual(expected);
    expect(peak() - before).toBeLessThan(whole.size / 4);
  });
});

/** Asks for a file, and gives the head of the answer. */
function download(kind: string): Promise<IncomingMessage> {
  const request = httpRequest(`${service.address}/download?kind=${kind}`);
  request.end();
  return new Promise((resolve, reject) => request.once('response', resolve).once('error', reject));
}

/** Temporary files that the service has open. */
function keptFiles(): number {
  const folder = `/proc/${service.pid}/fd`;
  return readdirSync(folder).filter((name) => {
    try {
      return readlinkSync(join(folder, name)).includes('svc-content-');
    } catch {
      return false;
    }
  }).length;
}

describe('a download that is not read goes through while it comes', () => {
  test('its first bytes are there before the last ones are sent, and no file is kept', async () => {
    const waiting = peer.silent.length;
    const answer = await download('silent');
    let got = 0;
    for await (const chunk of answer) {
      got += chunk.length;
      if (got === megabyte) break;
    }
    expect([got, answer.headers['content-length'], keptFiles()]).toEqual([megabyte, undefined, 0]);
    await untilPassed(() => expect(peer.silent[waiting]?.destroyed).toBe(true));
  });

  test('the peer sends no faster than the caller takes, and loses its connection with it', async () => {
    const [before, waiting] = [peak(), peer.silent.length];
    peer.bytes = 0;
    const answer = await download('endless');
    answer.on('error', () => undefined);
    const closed = new Promise((resolve) => answer.once('close', resolve));
    answer.once('data', () => answer.pause());
    // The service ends what its caller does not take.
    await untilPassed(() => expect(peer.silent[waiting]?.destroyed).toBe(true));
    answer.resume();
    await closed;
    expect(answer.complete).toBe(false);
    expect([peer.bytes < 40 * megabyte, peak() - before < 25 * megabyte, keptFiles()]).toEqual([true, true, 0]);
  });

  test('more than the limit ends the connection, whatever was sent by then', async () => {
    const answer = await download('endless');
    let got = 0;
    const taking = async () => {
      for await (const chunk of answer) got += chunk.length;
    };
    await expect(taking()).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect([answer.statusCode, got <= 200 * megabyte, got > 100 * megabyte]).toEqual([200, true, true]);
  });

  test('HEAD asks for its head alone', async () => {
    const waiting = peer.silent.length;
    expect(await service.ask('HEAD', '/download?kind=silent')).toMatchObject({ status: 200, text: '' });
    await untilPassed(() => expect(peer.silent[waiting]?.destroyed).toBe(true));
  });
});

test('the first upload of a process takes no more memory than the next ones', async () => {
  const cold = await startScenario(import.meta.dirname, { env: { PEER_URL: peer.address, TMPDIR: temporary } });
  try {
    const before = peak(cold);
    const answer = await upload('/describe', large(), 'doc', cold.address);
    expect(await json(answer)).toMatchObject({ size: whole.size });
    expect(peak(cold) - before).toBeLessThan(whole.size / 4);
  } finally {
    await cold.end();
  }
});

test('a body that stays bytes is a file, is kept like one, and is forwarded as it came', async () => {
  const before = peak();
  const { request, answer } = begin('/raw', { 'content-type': 'image/png' });
  await write(request, large());
  request.end();
  expect(await json(await answer)).toEqual({ size: whole.size, stored: whole.size, type: 'image/png' });
  expect(peer.stored).toEqual([{ ...whole, type: 'image/png', length: String(whole.size) }]);
  expect(peak() - before).toBeLessThan(whole.size / 2);
  await untilPassed(() => expect(keptFiles()).toBe(0));
});

describe('a file as flows see it', () => {
  test('its data is read when a flow names it, and is written in JSON', async () => {
    const data = Buffer.from('short').toString('base64');
    const file = { filename: 'a.bin', content_type: 'application/octet-stream', size: 5, data };
    expect(await json(await upload('/look', ['short']))).toEqual({ data, file });
    const long = 'x'.repeat(100_000);
    const longData = Buffer.from(long).toString('base64');
    expect(await json(await upload('/look', [long]))).toEqual({
      data: longData,
      file: { ...file, size: 100_000, data: longData },
    });
  });

  test('the answer of a call is one when its type is not text; its name has no path', async () => {
    const ask = async (kind: string) => (await service.ask('GET', `/described?kind=${kind}`)).body;
    expect(await ask('small')).toEqual({
      file: { filename: 'a b.png', content_type: 'image/png', size: 4, data: 'iVAA/w==' },
      size: 4,
    });
    expect(await ask('text')).toMatchObject({ error: expect.stringContaining('size') });
  });

  test('a compressed answer is kept as what it becomes', async () => {
    const answer = await fetch(`${service.address}/download?kind=gzip`);
    expect(await measure(answer.body as never)).toEqual(measured(megabytes(4)));
  });

  test('only a configuration that names _binary makes bytes of it', async () => {
    expect(await json(await upload('/write', ['bytes']))).toMatchObject({ stored: 5 });
    await upload('/pass', ['bytes'], '_binary');
    expect(peer.stored.map(({ type, size, length }) => [type, size > 5, length !== undefined])).toEqual([
      ['image/png', false, true],
      ['application/json', true, true],
    ]);
  });

  test('a job that continues after its caller was answered has it', async () => {
    const answer = await upload('/later', ['y'.repeat(100_000)]);
    expect(answer.statusCode).toBe(202);
    answer.resume();
    await untilPassed(() => expect(peer.stored).toMatchObject([{ size: 100_000 }]));
  });
});

describe('senders that mean no good', () => {
  const files = () => [openFiles(), readdirSync(temporary).filter((name) => name.startsWith('svc-content-'))] as const;

  /** What is open once nothing is under way. */
  async function settled(before: readonly [number, readonly string[]]) {
    await untilPassed(() => expect([files()[0] <= before[0], files()[1]]).toEqual([true, []]));
  }

  test('fifty uploads that break off leave nothing behind', async () => {
    await json(await upload('/describe', ['warm']));
    const before = files();
    const uploads = Array.from({ length: 50 }, () => begin('/describe'));
    await Promise.all(uploads.map(({ request }) => write(request, [head('doc', 'a.bin'), ...megabytes(1)])));
    // The folder holds the name of a file for the moment between opening and unlinking it.
    await untilPassed(() => {
      expect(openFiles()).toBeGreaterThanOrEqual(before[0] + 50);
      expect(files()[1]).toEqual([]);
    });
    for (const { request } of uploads) request.destroy();
    await settled(before);
  });

  test('a length that is a lie is refused before anything is kept', async () => {
    const { request, answer } = begin('/describe', { 'content-length': 300 * megabyte });
    request.write(head('doc', 'a.bin'));
    expect((await answer).statusCode).toBe(413);
    request.destroy();
  });

  test('more than the limit without a length is refused when it is reached', async () => {
    const before = files();
    const { request, answer } = begin('/describe');
    const writing = write(request, [head('doc', 'a.bin'), ...megabytes(220)]).catch(() => undefined);
    expect((await answer).statusCode).toBe(413);
    request.destroy();
    await Promise.race([writing, new Promise((resolve) => request.once('close', resolve))]);
    await settled(before);
  });

  test.each([
    ['more than a thousand parts', [...Array(1001)].map((_, at) => `${head(`f${at}`, 'a')}x\r\n`).join(''), 413],
    ['a name that is too long', `${head('n'.repeat(300), 'a')}x`, 400],
    ['a file name that is too long', `${head('doc', 'n'.repeat(300))}x`, 400],
    ['a form that is never closed', `${head('doc', 'a')}x\r\n--${boundary}\r\n`, 400],
  ])('%s', async (_, body, status) => {
    const before = files();
    const { request, answer } = begin('/describe');
    request.end(body + (status === 400 && body.endsWith('\r\n') ? '' : tail));
    expect((await answer).statusCode).toBe(status);
    request.destroy();
    await settled(before);
  });

  test('many small files are taken', async () => {
    const parts = [...Array(900)].map((_, at) => `${head(at === 0 ? 'doc' : `f${at}`, `${at}`)}${'z'.repeat(500)}\r\n`);
    const { request, answer } = begin('/describe');
    request.end(`${parts.join('')}--${boundary}--\r\n`);
    expect(await json(await answer)).toEqual({ filename: '0', type: 'application/octet-stream', size: 500 });
  });

  test('a download that is cut is never whole, and one that says less than it sends ends where it says', async () => {
    expect(await service.ask('GET', '/described?kind=cut')).toMatchObject({ status: 500 });
    const answer = await download('cut');
    expect([answer.statusCode, answer.headers['content-length']]).toEqual([200, String(10 * megabyte)]);
    await expect(measure(answer)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(answer.complete).toBe(false);
    expect(await service.ask('GET', '/download?kind=overlong')).toMatchObject({ status: 200, text: 'longer tha' });
  });

  test('a caller that goes lets a download of a silent peer go', async () => {
    const before = files();
    const abort = new AbortController();
    const waiting = peer.silent.length;
    const asked = fetch(`${service.address}/download?kind=silent`, { signal: abort.signal }).catch(() => undefined);
    await untilPassed(() => expect(peer.silent).toHaveLength(waiting + 1));
    await untilPassed(() => expect(openFiles()).toBeGreaterThan(before[0]));
    abort.abort();
    await asked;
    await untilPassed(() => expect(peer.silent[waiting]?.destroyed).toBe(true));
    await settled(before);
  });

  test('a caller that stops reading loses its connection, and the peer with it', async () => {
    const before = files();
    const waiting = peer.silent.length;
    const request = httpRequest(`${service.address}/download?kind=endless`);
    request.end();
    const answer = await new Promise<IncomingMessage>((resolve) => request.once('response', resolve));
    // A cut that comes while nothing is read may be reported as an error, or by the end of the connection alone.
    answer.on('error', () => undefined);
    const closed = new Promise((resolve) => answer.once('close', resolve));
    answer.once('data', () => answer.pause());
    await untilPassed(() => expect(peer.silent[waiting]?.destroyed).toBe(true));
    answer.resume();
    await closed;
    expect(answer.complete).toBe(false);
    await settled(before);
  });
});
