import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { folderWith } from '../../support/folder.ts';
import { untilPassed } from '../../support/until.ts';
import { measured, megabyte, megabytes, type Peer, startPeer } from '../files/peer.ts';
import { type Scenario, startScenario } from '../scenario.ts';

let service: Scenario;
let peer: Peer;
let work: string;
const at = (...names: string[]) => join(work, ...names);

beforeAll(async () => {
  work = folderWith();
  for (const name of ['store', 'archive', 'temporary', 'local']) mkdirSync(at(name));
  peer = await startPeer();
  service = await startScenario(import.meta.dirname, {
    env: { PEER_URL: peer.address, STORE: at('store'), ARCHIVE: at('archive'), TMPDIR: at('temporary') },
  });
  writeFileSync(at('local', 'large'), Buffer.concat([...megabytes(100)]));
  // The first transfers of a process take what the engine does until it knows their code.
  for (const length of [[], ['-H', 'Transfer-Encoding: chunked']])
    await curl('-T', at('local', 'large'), ...length, address('/files/first.bin'));
});

afterAll(async () => {
  await service?.end();
  await peer?.[Symbol.asyncDispose]();
  if (work !== undefined) rmSync(work, { recursive: true });
});

beforeEach(() => {
  for (const folder of ['store', 'archive'])
    for (const name of readdirSync(at(folder))) rmSync(at(folder, name), { recursive: true });
  peer.stored.length = 0;
});

const large = measured(megabytes(100));

function digest(...names: string[]) {
  const bytes = readFileSync(at(...names));
  return { size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** Runs curl; gives what it wrote, and how it ended. */
function curl(...words: string[]): Promise<{ readonly code: number | null; readonly text: string }> {
  const child = spawn('curl', ['-sS', ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (text += piece));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, text }));
  });
}

/** Peak of the resident memory of the service, in bytes. */
function peak(): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]) * 1024;
}

/** What the service has open of a folder. */
function opened(folder: string): readonly string[] {
  const names = readdirSync(`/proc/${service.pid}/fd`).map((name) => `/proc/${service.pid}/fd/${name}`);
  return names.flatMap((name) => {
    try {
      const { ino } = statSync(name);
      return readdirSync(at(folder)).filter((each) => statSync(at(folder, each)).ino === ino);
    } catch {
      return [];
    }
  });
}

const address = (path: string) => `${service.address}${path}`;

describe('a file that is uploaded', () => {
  test.each([
    ['with its length', ['-T', 'large'], '/files/a.bin', 'a.bin', { bytes: large.size }],
    ['in chunks', ['-T', 'large', '-H', 'Transfer-Encoding: chunked'], '/files/b.bin', 'b.bin', { bytes: large.size }],
    ['by a destination', ['--data-binary', '@large'], '/received', 'received.bin', undefined],
    ['whose size is read', ['-T', 'large'], '/measured/c.bin', 'c.bin', { bytes: large.size, size: large.size }],
    ['in a form', ['-F', 'doc=@large;filename=d.bin'], '/form', 'd.bin', { bytes: large.size }],
    ['with a refusal to wait', ['-T', 'large', '-H', 'Expect:'], '/files/e.bin', 'e.bin', { bytes: large.size }],
  ])('S-64: %s, is stored whole, and little of it is held', async (_, words, path, name, answer) => {
    const before = peak();
    const local = words.map((word) => word.replace('large', at('local', 'large')));
    const { code, text } = await curl(...local, address(path));
    expect(code).toBe(0);
    expect(JSON.parse(text)).toEqual(answer ?? { path: name, written: large.size });
    expect(digest('store', name)).toEqual(large);
    expect(readdirSync(at('store'))).toEqual([name]);
    expect(peak() - before).toBeLessThan(large.size / 2);
  });

  test('is kept nowhere but in the store while it comes', async () => {
    const request = httpRequest(address('/files/a.bin'), { method: 'PUT' });
    const answered = new Promise((resolve) => request.once('response', resolve));
    request.write(Buffer.concat([...megabytes(2)]));
    await untilPassed(() => {
      const [name] = readdirSync(at('store'));
      expect(name).toMatch(/^\.svc-/);
      expect(statSync(at('store', name as string)).size).toBe(2 * megabyte);
    });
    expect(readdirSync(at('temporary')).filter((name) => name.startsWith('svc-content'))).toEqual([]);
    request.end();
    await answered;
    expect(readdirSync(at('store'))).toEqual(['a.bin']);
  });

  test('that breaks off leaves the file that was there, and nothing else', async () => {
    writeFileSync(at('store', 'a.bin'), 'as it was');
    for (const path of ['/files/a.bin', '/measured/a.bin']) {
      const request = httpRequest(address(path), { method: 'PUT', headers: { 'content-length': 10 * megabyte } });
      request.on('error', () => undefined);
      await new Promise((resolve) => request.write(Buffer.concat([...megabytes(1)]), resolve));
      if (path === '/files/a.bin') await untilPassed(() => expect(readdirSync(at('store'))).toHaveLength(2));
      request.destroy();
      await untilPassed(() => expect(readdirSync(at('store'))).toEqual(['a.bin']));
    }
    expect(readFileSync(at('store', 'a.bin'), 'utf8')).toBe('as it was');
    expect(opened('store')).toEqual([]);
  });

  test('that has more than max_upload is 413 when that is known, and leaves nothing', async () => {
    const request = httpRequest(address('/files/a.bin'), { method: 'PUT' });
    const answered = new Promise<number | undefined>((resolve, reject) => {
      request.once('response', ({ statusCode }) => resolve(statusCode));
      request.once('error', reject);
    });
    for (const chunk of megabytes(201))
      if (!request.write(chunk)) await Promise.race([once(request, 'drain'), answered]);
    expect(await answered).toBe(413);
    request.on('error', () => undefined).destroy();
    await untilPassed(() => expect(readdirSync(at('store'))).toEqual([]));
  });

  test('that no flow takes is not sent by a caller that asks before', async () => {
    const refused = await curl('-i', '-T', at('local', 'large'), '-H', 'Expect: 100-continue', address('/guarded/bad'));
    expect(refused.text).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(refused.text).toContain('"dropped"');
    const taken = await curl('-T', at('local', 'large'), '-H', 'Expect: 100-continue', address('/guarded/good'));
    expect(JSON.parse(taken.text)).toEqual({ bytes: large.size });
  });

  test('that is empty is an empty file', async () => {
    writeFileSync(at('local', 'empty'), '');
    expect(JSON.parse((await curl('-T', at('local', 'empty'), address('/files/a.bin'))).text)).toEqual({ bytes: 0 });
    expect(digest('store', 'a.bin').size).toBe(0);
  });

  test('A-03: many at once, half of which break off, are whole or not there', async () => {
    writeFileSync(at('local', 'few'), Buffer.concat([...megabytes(5)]));
    const whole = Array.from({ length: 20 }, (_, n) => curl('-T', at('local', 'few'), address(`/files/w${n}.bin`)));
    const broken = Array.from({ length: 20 }, async (_, n) => {
      const request = httpRequest(address(`/files/x${n}.bin`), { method: 'PUT' });
      request.on('error', () => undefined);
      await new Promise((resolve) => request.write(Buffer.alloc(megabyte), resolve));
      request.destroy();
    });
    await Promise.all(broken);
    for (const { text } of await Promise.all(whole)) expect(JSON.parse(text)).toEqual({ bytes: 5 * megabyte });
    await untilPassed(() => expect(readdirSync(at('store')).sort()).toEqual(names('w', 20)));
    for (const name of readdirSync(at('store'))) expect(statSync(at('store', name)).size).toBe(5 * megabyte);
  });
});

const names = (letter: string, count: number) => Array.from({ length: count }, (_, n) => `${letter}${n}.bin`).sort();

function once(request: ReturnType<typeof httpRequest>, event: string): Promise<void> {
  return new Promise((resolve) => request.once(event, () => resolve()));
}

describe('a file that is downloaded', () => {
  beforeEach(() => writeFileSync(at('store', 'a b.bin'), Buffer.concat([...megabytes(20)])));

  const path = '/files/a%20b.bin';
  const whole = measured(megabytes(20));

  test('comes whole, with its length, its version and its name', async () => {
    const { code } = await curl('-o', at('local', 'out'), '-D', at('local', 'head'), address(path));
    expect([code, digest('local', 'out')]).toEqual([0, whole]);
    const head = readFileSync(at('local', 'head'), 'utf8').toLowerCase();
    for (const line of [
      'content-type: application/octet-stream',
      `content-length: ${whole.size}`,
      'content-disposition: attachment; filename="a b.bin"',
      'content-security-policy: sandbox',
      'accept-ranges: bytes',
      'x-content-type-options: nosniff',
    ])
      expect(head).toContain(`${line}\r\n`);
    expect(head).toMatch(/\r\netag: "[^"]+"\r\nlast-modified: [^\r]+ gmt\r\n/);
    await untilPassed(() => expect(opened('store')).toEqual([]));
  });

  test('is asked for by its head alone, and by its version', async () => {
    const head = await curl('-I', address(path));
    expect(head.text).toMatch(/content-length: 20971520\r\n/i);
    const [, etag = ''] = /etag: ("[^"]+")/i.exec(head.text) ?? [];
    const [, modified = ''] = /last-modified: ([^\r]+)/i.exec(head.text) ?? [];
    const status = async (...words: string[]) =>
      (await curl('-o', at('local', 'out'), '-w', '%{http_code} %{size_download}', ...words, address(path))).text;
    expect(await status('-H', `If-None-Match: ${etag}`)).toBe('304 0');
    expect(await status('-H', `If-Modified-Since: ${modified}`)).toBe('304 0');
    expect(await status('-H', `If-Match: "other"`)).toMatch(/^412 /);
    writeFileSync(at('store', 'a b.bin'), 'another');
    expect(await status('-H', `If-None-Match: ${etag}`)).toBe('200 7');
    expect(await status('-H', `If-Match: ${etag}`)).toMatch(/^412 /);
    expect(await status('-H', `If-Range: ${etag}`, '-r', '0-1')).toBe('200 7');
    await untilPassed(() => expect(opened('store')).toEqual([]));
  });

  test('that broke off is continued', async () => {
    const bytes = readFileSync(at('store', 'a b.bin'));
    writeFileSync(at('local', 'out'), bytes.subarray(0, 7_654_321));
    const { code, text } = await curl(
      '-C',
      '-',
      '-o',
      at('local', 'out'),
      '-w',
      '%{http_code} %{size_download}',
      address(path),
    );
    expect([code, text, digest('local', 'out')]).toEqual([0, `206 ${whole.size - 7_654_321}`, whole]);
  });

  test('comes in ranges, several in one answer, and none behind its end', async () => {
    const bytes = readFileSync(at('store', 'a b.bin'));
    const one = await curl('-r', '3-9', address(path));
    expect(one.text).toBe(bytes.subarray(3, 10).toString());
    const several = await curl('-i', '-r', '0-4,-3', address(path));
    expect(several.text).toMatch(/^HTTP\/1\.1 206 /);
    expect(several.text).toContain(`Content-Range: bytes 0-4/${whole.size}\r\n\r\n${bytes.subarray(0, 5)}\r\n--`);
    expect(several.text).toContain(`bytes 20971517-20971519/${whole.size}\r\n\r\n${bytes.subarray(-3)}\r\n--`);
    const none = await curl('-i', '-r', `${whole.size}-`, address(path));
    expect(none.text).toMatch(/^HTTP\/1\.1 416 /);
    expect(none.text.toLowerCase()).toContain(`content-range: bytes */${whole.size}\r\n`);
    await untilPassed(() => expect(opened('store')).toEqual([]));
  });

  test('A-05: by a caller that takes nothing ends with write_timeout, and its file is closed', async () => {
    const before = peak();
    const request = httpRequest(address(path)).end();
    const answer = await new Promise<NodeJS.ReadableStream & { complete: boolean }>((resolve) =>
      request.once('response', (response) => resolve(response)),
    );
    answer.on('error', () => undefined).pause();
    expect(opened('store')).toEqual(['a b.bin']);
    await untilPassed(() => expect(opened('store')).toEqual([]));
    expect(peak() - before).toBeLessThan(whole.size);
    const closed = new Promise((resolve) => request.once('close', resolve));
    answer.resume();
    await closed;
    expect(answer.complete).toBe(false);
  });

  test('by a caller that goes is closed at once', async () => {
    const request = httpRequest(address(path)).end();
    await new Promise((resolve) => request.once('response', resolve));
    request.on('error', () => undefined).destroy();
    await untilPassed(() => expect(opened('store')).toEqual([]));
  });

  test('that becomes shorter while it is read ends the connection', async () => {
    const request = httpRequest(address(path)).end();
    const answer = await new Promise<NodeJS.ReadableStream>((resolve) => request.once('response', resolve));
    answer.pause();
    const cut = new Promise((resolve) => answer.once('error', resolve).once('end', resolve));
    writeFileSync(at('store', 'a b.bin'), 'short');
    answer.resume();
    expect(await cut).toMatchObject({ code: 'ECONNRESET' });
    await untilPassed(() => expect(service.log).toContain('became shorter while it was read'));
  });

  test('that is replaced while it is read stays what it was', async () => {
    const request = httpRequest(address(path)).end();
    const answer = await new Promise<NodeJS.ReadableStream>((resolve) => request.once('response', resolve));
    await curl('-T', at('local', 'large'), address(path));
    const hash = createHash('sha256');
    for await (const chunk of answer) hash.update(chunk as Buffer);
    expect(hash.digest('hex')).toBe(whole.sha256);
    expect(digest('store', 'a b.bin')).toEqual(large);
  });

  test('that is not there is 404', async () => {
    expect(await service.ask('GET', '/files/none')).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
});

describe('a file that goes from one place to another', () => {
  test('from one store to another', async () => {
    writeFileSync(at('store', 'a.bin'), Buffer.concat([...megabytes(50)]));
    const before = peak();
    expect((await service.ask('POST', '/archive/a.bin')).body).toEqual({ bytes: 50 * megabyte });
    expect(digest('archive', 'a.bin')).toEqual(measured(megabytes(50)));
    expect(peak() - before).toBeLessThan(25 * megabyte);
  });

  test('from a peer to a store, and is kept nowhere else', async () => {
    expect((await service.ask('POST', '/fetch?kind=large')).body).toEqual({ bytes: large.size });
    expect(digest('store', 'fetched.bin')).toEqual(large);
    const waiting = peer.silent.length;
    const asked = service.ask('POST', '/fetch?kind=silent').catch((error: unknown) => error);
    await untilPassed(() => {
      const [name] = readdirSync(at('store')).filter((each) => each.startsWith('.svc-'));
      expect(statSync(at('store', name ?? 'none')).size).toBe(megabyte);
    });
    peer.silent[waiting]?.destroy();
    expect(await asked).toMatchObject({ status: 500 });
    expect(readdirSync(at('store'))).toEqual(['fetched.bin']);
    expect(digest('store', 'fetched.bin')).toEqual(large);
  });

  test('from a store to a peer', async () => {
    writeFileSync(at('store', 'a.png'), Buffer.concat([...megabytes(50)]));
    expect((await service.ask('POST', '/send/a.png')).body).toEqual({ stored: 50 * megabyte, type: 'image/png' });
    const length = String(50 * megabyte);
    expect(peer.stored).toEqual([{ ...measured(megabytes(50)), type: 'image/png', length }]);
  });

  test('is refused by name where an expression would read its bytes', async () => {
    writeFileSync(at('store', 'a.bin'), 'bytes');
    const { status, body } = await service.ask('GET', '/read/a.bin');
    expect([status, (body as { error: string }).error]).toEqual([
      500,
      'the bytes of a file that is passed on cannot be read by an expression: use the operation read',
    ]);
  });
});
