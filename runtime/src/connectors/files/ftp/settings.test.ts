import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { connectorServices, type LogLine, recordingLog } from '../../../../../test/support/connector-services.ts';
import { folderWith } from '../../../../../test/support/folder.ts';
import { until } from '../../../../../test/support/until.ts';
import { Content, ContentOwner } from '../../../foundation/contracts/content.ts';
import type { TargetConnector } from '../../testing/target-conformance.ts';
import { ask, failureOf } from '../testing/asking.ts';
import { ftpBed, ftpUrl, type RemoteBed, sftpBed, sshUrl, type WrittenBlock } from './testing/bed.ts';

const never = new AbortController().signal;
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function bedOf(making: Promise<RemoteBed>): Promise<RemoteBed> {
  const bed = await making;
  cleanups.push(() => bed.close());
  return bed;
}

async function opened(bed: RemoteBed, written: WrittenBlock = {}, lines: LogLine[] = []): Promise<TargetConnector> {
  const connector = bed.connector(written, connectorServices({ log: recordingLog(lines) }));
  cleanups.push(() => connector.close(AbortSignal.abort()));
  await connector.open(never);
  return connector;
}

/** Bytes that come when they are let. */
function held() {
  const sender = new Readable({ read: () => undefined });
  const bytes = {
    size: undefined,
    once: false,
    inMemory: undefined,
    stream: () => sender,
    read: () => Buffer.alloc(0),
  };
  sender.push('begun');
  const content = new Content(bytes, { filename: '', contentType: '' }, new Uint8Array());
  return { content, finish: () => sender.push(null) };
}

const beds = [
  ['ftp', ftpUrl, () => ftpBed()],
  ['sftp', sshUrl, () => sftpBed()],
] as const;

describe.each(beds)('%s', (protocol, server, makeBed) => {
  describe.skipIf(server === undefined)('a connector', () => {
    test('connects to host and port', async () => {
      const bed = await bedOf(makeBed());
      await opened(bed, { host: 'localhost', known_hosts: undefined });
      bed.proxy.fault = 'refuse';
      expect((await failureOf(opened(bed))).code).toBe('connector_refused');
      expect((await failureOf(opened(bed, { host: 'nowhere.invalid' }))).code).toBe('connector_refused');
    });

    test('has its paths below base_path, which must exist', async () => {
      const bed = await bedOf(makeBed());
      await bed.put('in/a.txt', Buffer.from('a'));
      const base = `${bed.access['base_path']}/in/`;
      const inner = await opened(bed, { base_path: base });
      expect(await ask(inner, 'list', { path: '' })).toMatchObject([{ path: 'a.txt', name: 'a.txt' }]);
      expect((await failureOf(ask(inner, 'read', { path: '../in/a.txt' }))).code).toBe('value_refused');
      const failure = await failureOf(opened(bed, { base_path: `${base}none` }));
      expect([failure.code, failure.retriable]).toEqual(['connector_refused', false]);
      expect(failure.message).toContain('base_path');
      // Without it, paths begin where the server puts the user.
      const home = await opened(bed, { base_path: undefined });
      const rows = (await ask(home, 'list', { path: '' })) as { readonly name: string }[];
      expect(rows.map(({ name }) => name)).not.toContain('in');
    });

    test('waits for timeout for a silent server', async () => {
      const bed = await bedOf(makeBed());
      bed.proxy.fault = 'blackhole';
      const failure = await failureOf(opened(bed, { timeout: 100 }));
      expect([failure.code, failure.message]).toEqual(['connector_timeout', 'no response within 0.1 s']);
      await until(() => bed.proxy.connections === 0);
    });

    test('A-03: has max_connections at most; a further call waits for timeout, and then says what to do', async () => {
      const bed = await bedOf(makeBed());
      const connector = await opened(bed, { max_connections: 2, timeout: 1_000 });
      const sent = [held(), held()];
      const writing = sent.map(({ content }, at) => ask(connector, 'write', { path: `${at}.txt`, content }));
      await until(() => bed.proxy.connections === 2);
      const failure = await failureOf(ask(connector, 'stat', { path: 'x' }));
      expect([failure.code, failure.retriable]).toEqual(['connector_busy', true]);
      expect(failure.message).toContain('raise max_connections');
      const waiting = ask(connector, 'exists', { path: 'x' });
      for (const { finish } of sent) finish();
      await Promise.all(writing);
      expect(await waiting).toEqual({ exists: false, path: 'x' });
      expect(bed.proxy.connections).toBeLessThanOrEqual(2);
    });

    test('closes a connection that was not used for idle_timeout, and connects again', async () => {
      const bed = await bedOf(makeBed());
      const connector = await opened(bed, { idle_timeout: 50 });
      await until(() => bed.proxy.connections === 0);
      expect(await ask(connector, 'exists', { path: 'x' })).toEqual({ exists: false, path: 'x' });
      const lasting = await opened(bed, {});
      await ask(lasting, 'exists', { path: 'x' });
      await until(() => bed.proxy.connections === 1);
    });

    test('S-82: writes beside the file where atomic says so, and else in its place', async () => {
      const bed = await bedOf(makeBed());
      await bed.put('a.txt', Buffer.from('before'));
      for (const atomic of [true, false]) {
        const connector = await opened(bed, { atomic });
        const { content, finish } = held();
        const writing = ask(connector, 'write', { path: 'a.txt', content });
        const isBegun = async () => {
          const names = await bed.names();
          return atomic ? names.some((name) => name.startsWith('.svc-')) : (await bed.bytesOf('a.txt')).length < 6;
        };
        await until(isBegun);
        expect((await bed.bytesOf('a.txt')).toString()).toMatch(atomic ? /^before$/ : /^(?:begun)?$/);
        // What is being written is not listed.
        expect(await ask(connector, 'list', { path: '' })).toMatchObject([{ path: 'a.txt' }]);
        finish();
        await writing;
        expect([(await bed.bytesOf('a.txt')).toString(), await bed.names()]).toEqual(['begun', ['a.txt']]);
        await bed.put('a.txt', Buffer.from('before'));
      }
    });

    test('reads files of no known name as bytes and writes them as JSON, unless format says another', async () => {
      const bed = await bedOf(makeBed());
      const plain = await opened(bed);
      await ask(plain, 'write', { path: 'a', content: [{ n: 1 }] });
      const row = { _path: 'a', _name: 'a', _size: 18n };
      const read = await ask(plain, 'read', { path: 'a' }, { exact: true });
      expect(read).toEqual([
        { ...row, _content: new Uint8Array(Buffer.from('[\n  {\n    "n": 1\n  }\n]\n')), _size: 23n },
      ]);
      const lines = await opened(bed, { format: 'ndjson' });
      await ask(lines, 'write', { path: 'b', content: [{ n: 1 }, { n: 2 }] });
      expect((await bed.bytesOf('b')).toString()).toBe('{"n":1}\n{"n":2}\n');
      expect(await ask(lines, 'read', { path: 'b' })).toEqual([{ n: 1 }, { n: 2 }]);
    });

    test('writes the field _content of a payload, and else the payload', async () => {
      const bed = await bedOf(makeBed());
      const connector = await opened(bed);
      const write = (payload: Readonly<Record<string, unknown>>, path: string) =>
        ask(connector, 'UPLOAD', {}, { verb: 'create', target: path }, { payload, params: undefined });
      expect(await write({ _content: 'text' }, 'a.txt')).toEqual({ path: 'a.txt', size: 4, uploaded: true });
      await write({ _content: Buffer.from([0, 1]) }, 'b.bin');
      await write({ n: 1 }, 'c.json');
      const bytes = await Promise.all(['a.txt', 'b.bin', 'c.json'].map((path) => bed.bytesOf(path)));
      expect(bytes.map((each) => each.toString())).toEqual(['text', '\0\x01', '{\n  "n": 1\n}\n']);
    });

    test('takes the words of the protocol in any case', async () => {
      const bed = await bedOf(makeBed());
      const connector = await opened(bed);
      await ask(connector, 'put', { path: 'in/a.json', content: [{ n: 1 }] });
      expect(await ask(connector, 'GET', { path: 'in/a.json' })).toEqual([{ n: 1 }]);
      expect(await ask(connector, 'Select', { path: 'in/' })).toMatchObject([{ name: 'a.json', is_dir: false }]);
      expect(await ask(connector, 'MKDIR', { path: 'x/y' })).toEqual({ path: 'x/y', created: true });
      expect(await ask(connector, 'MKDIR', { path: 'x/y' })).toEqual({ path: 'x/y', created: true });
      expect(await ask(connector, 'LIST', { path: '', recursive: true })).toMatchObject([
        { path: 'in', is_dir: true },
        { path: 'in/a.json', is_dir: false },
        { path: 'x', is_dir: true },
        { path: 'x/y', is_dir: true },
      ]);
      expect(await ask(connector, 'DELETE', { path: 'x' })).toEqual({ path: 'x', deleted: true });
      expect(await bed.names()).toEqual(['in', 'in/a.json']);
    });

    test('reads and writes tables as csv_* say, and bounds what it reads and lists', async () => {
      const bed = await bedOf(makeBed());
      const written = {
        csv_delimiter: 'semicolon',
        csv_comment: '#',
        csv_no_header: true,
        csv_trim_space: true,
        csv_skip_rows: 1,
        escape_formulas: false,
        max_read: 40,
        max_entries: 1,
      };
      const connector = await opened(bed, written);
      await bed.put('a.csv', Buffer.from('title\n# none\n a ;b\n'));
      expect(await ask(connector, 'read', { path: 'a.csv' })).toEqual([{ column_1: 'a', column_2: 'b' }]);
      await ask(connector, 'write', { path: 'b.csv', content: [{ x: '=1', y: 'z' }] });
      expect((await bed.bytesOf('b.csv')).toString()).toBe('=1;z\r\n');
      await bed.put('c.csv', Buffer.alloc(41, 'x'));
      for (const operation of ['read', 'list'])
        expect((await failureOf(ask(connector, operation, { path: operation === 'read' ? 'c.csv' : '' }))).code).toBe(
          'body_too_large',
        );
    });

    test('a file that is replaced between its download and its bytes is reported', async () => {
      const bed = await bedOf(makeBed());
      await bed.put('a.bin', Buffer.from('before'));
      const connector = await opened(bed);
      const owner = new ContentOwner();
      cleanups.push(() => owner.release());
      const request = { params: { path: 'a.bin' }, contents: owner };
      const { bytes } = (await ask(connector, 'download', {}, {}, request)) as Content;
      await bed.put('a.bin', Buffer.from('after, and longer'));
      const failure = await failureOf(bytes.stream().toArray());
      expect([failure.code, failure.message]).toEqual(['connector_failed', '"a.bin" changed before it was read']);
    });

    test('A-03: a download that no one reads holds one connection, and others are served', async () => {
      const bed = await bedOf(makeBed());
      await bed.put('big.bin', Buffer.alloc(8 * 1024 * 1024));
      const connector = await opened(bed, { max_connections: 2 });
      const owner = new ContentOwner();
      cleanups.push(() => owner.release());
      const content = (await ask(
        connector,
        'download',
        { path: 'big.bin' },
        {},
        {
          params: { path: 'big.bin' },
          contents: owner,
        },
      )) as Content;
      const stream = content.bytes.stream();
      await new Promise((resolve) => stream.once('readable', resolve));
      for (let count = 0; count < 5; count++)
        expect(await ask(connector, 'exists', { path: 'big.bin' })).toMatchObject({ exists: true });
      stream.destroy();
      await until(() => bed.proxy.connections <= 2);
      expect(await ask(connector, 'exists', { path: 'x' })).toMatchObject({ exists: false });
    });

    test(`${protocol === 'ftp' ? 'curl' : 'sftp'} reads what it wrote, and it reads what that wrote`, async () => {
      const bed = await bedOf(makeBed());
      const connector = await opened(bed);
      await ask(connector, 'write', { path: 'in/ä b.txt', content: 'from here' });
      const folder = folderWith();
      cleanups.push(() => rmSync(folder, { recursive: true }));
      writeFileSync(join(folder, 'up.txt'), 'from there');
      const { username, password, key_file: key, known_hosts: hosts, port, base_path: base } = bed.access;
      if (protocol === 'ftp') {
        const url = `ftp://127.0.0.1:${port}${base}/in/`;
        const user = ['-sS', '-u', `${username}:${password}`];
        await promisify(execFile)('curl', [...user, '-o', join(folder, 'down.txt'), `${url}%C3%A4%20b.txt`]);
        await promisify(execFile)('curl', [...user, '-T', join(folder, 'up.txt'), url]);
      } else {
        writeFileSync(join(folder, 'batch'), 'get "in/ä b.txt" down.txt\nput up.txt in/up.txt\n');
        const options = ['-o', `UserKnownHostsFile=${hosts}`, '-o', 'StrictHostKeyChecking=yes', '-i', String(key)];
        const where = `${username}@127.0.0.1:${base}`;
        await promisify(execFile)('sftp', ['-q', '-b', 'batch', ...options, '-P', String(port), where], {
          cwd: folder,
        });
      }
      expect(readFileSync(join(folder, 'down.txt'), 'utf8')).toBe('from here');
      expect(await ask(connector, 'read', { path: 'in/up.txt' })).toMatchObject([{ _content: 'from there' }]);
    });
  });
});

describe.skipIf(ftpUrl === undefined)('ftp', () => {
  test('signs in with username and password, and a wrong one is reported without it', async () => {
    const bed = await bedOf(ftpBed());
    await opened(bed);
    for (const written of [{ password: 'wrong-secret' }, { username: undefined, password: undefined }]) {
      const failure = await failureOf(opened(bed, written));
      expect([failure.code, failure.retriable]).toEqual(['connector_refused', false]);
      expect(failure.message).toMatch(/^127\.0\.0\.1:\d+ does not let the user sign in$/);
    }
  });
});
