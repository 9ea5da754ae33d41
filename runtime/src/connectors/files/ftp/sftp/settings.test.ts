import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { connectorServices, type LogLine, recordingLog } from '../../../../../../test/support/connector-services.ts';
import { folderWith } from '../../../../../../test/support/folder.ts';
import { faultProxy } from '../../../../../../test/support/proxy.ts';
import { knownHost } from '../../../../../../test/support/servers/sshd.ts';
import { until } from '../../../../../../test/support/until.ts';
import type { TargetConnector } from '../../../testing/target-conformance.ts';
import { ask, failureOf } from '../../testing/asking.ts';
import { type RemoteBed, remoteConnector, sftpBed, sshUrl, type WrittenBlock } from '../testing/bed.ts';
import { SshStandIn } from '../testing/ssh-stand-in.ts';

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

describe.skipIf(sshUrl === undefined)('sftp', () => {
  test('S-81: a link that leads out of base_path is refused by every operation, and not listed', async () => {
    const bed = await bedOf(sftpBed());
    const outside = folderWith();
    cleanups.push(() => rmSync(outside, { recursive: true }));
    writeFileSync(join(outside, 'a.txt'), 'secret');
    const link = (target: string, name: string) => symlinkSync(target, join(bed.folder, name));
    link(join(outside, 'a.txt'), 'file.txt');
    link(outside, 'folder');
    link(join(outside, 'none.txt'), 'none.txt');
    link('inside.txt', 'inner.txt');
    await bed.put('inside.txt', Buffer.from('inside'));
    const connector = await opened(bed);
    for (const path of ['file.txt', 'folder/a.txt', 'folder/new.txt', 'none.txt'])
      for (const operation of ['read', 'write', 'append', 'stat', 'download'])
        expect([path, operation, (await failureOf(ask(connector, operation, { path, content: 'x' }))).code]).toEqual([
          path,
          operation,
          'value_refused',
        ]);
    for (const path of ['folder/a.txt', 'folder/x'])
      for (const operation of ['delete', 'mkdir'])
        expect((await failureOf(ask(connector, operation, { path }))).code).toBe('value_refused');
    const moved = { source: 'inside.txt', destination: 'folder/x.txt' };
    for (const operation of ['move', 'copy'])
      expect((await failureOf(ask(connector, operation, moved))).code).toBe('value_refused');
    expect(await ask(connector, 'read', { path: 'inner.txt' })).toMatchObject([{ _content: 'inside' }]);
    const rows = (await ask(connector, 'list', { path: '', recursive: true })) as { readonly path: string }[];
    expect(rows.map(({ path }) => path)).toEqual(['inner.txt', 'inside.txt']);
    expect(readFileSync(join(outside, 'a.txt'), 'utf8')).toBe('secret');
  });

  test('known_hosts has the key of the host, and another server is refused', async () => {
    const bed = await bedOf(sftpBed());
    const { known_hosts: hosts, port } = bed.access;
    const right = readFileSync(String(hosts), 'utf8');
    await opened(bed);
    const refused = async (text: string) => {
      writeFileSync(String(hosts), text);
      const failure = await failureOf(opened(bed));
      expect([failure.code, failure.retriable]).toEqual(['connector_refused', false]);
      return failure.message;
    };
    expect(await refused('')).toMatch(/is not trusted: known_hosts ".*" has no key of it; .* SHA256:\S{43}$/);
    const [type, key = ''] = right.split(' ').slice(1);
    const bytes = Buffer.from(key, 'base64');
    const other = `${type} ${bytes.fill(7, bytes.length - 8).toString('base64')}`;
    const host = { host: '127.0.0.1', port: Number(port) };
    expect(await refused(knownHost({ ...host, hostKey: other }))).toMatch(/is not the one in known_hosts/);
    expect(await refused(`@revoked * ${type} ${key.trim()}\n${right}`)).toMatch(/is revoked/);
    expect(await refused(knownHost({ ...host, hostKey: 'ssh-rsa AAAA' }))).toMatch(/no key of the kinds/);
  });

  test('without known_hosts the first key is kept with a warning, and another one refused', async () => {
    const servers = await Promise.all(['one', 'other'].map(() => SshStandIn.start({ password: 'secret' })));
    for (const server of servers) cleanups.push(() => server.stop());
    const [one, other] = servers as [SshStandIn, SshStandIn];
    // The proxy leads to another server later, as an address does that another server has taken.
    const proxy = await faultProxy({
      get port() {
        return isTaken ? other.port : one.port;
      },
    });
    let isTaken = false;
    cleanups.push(() => proxy.close());
    const lines: LogLine[] = [];
    const block = { host: '127.0.0.1', port: proxy.port, protocol: 'sftp', username: 'u', password: 'secret' };
    const services = connectorServices({ log: recordingLog(lines) });
    const connector = remoteConnector({ ...block, timeout: 5_000 }, services);
    cleanups.push(() => connector.close());
    await connector.open(never);
    proxy.reset();
    await until(() => connector.check?.(never).then(() => true));
    const fingerprint = expect.stringMatching(/^SHA256:\S{43}$/);
    const message = 'the key of the host is not known, and is trusted: write known_hosts';
    expect(lines).toEqual([{ level: 'warn', message, fields: { fingerprint } }]);
    isTaken = true;
    proxy.reset();
    const refusal = await until(async () => {
      const failure = await failureOf(Promise.resolve(connector.check?.(never)));
      return failure.message.includes('lost') ? undefined : failure.message;
    });
    expect(refusal).toMatch(/is not trusted: it shows the key SHA256:\S{43}, and showed SHA256:\S{43} before$/);
  });

  test('the key of key_file is tried before the password', async () => {
    const server = await SshStandIn.start({ password: 'secret' });
    cleanups.push(() => server.stop());
    const bed = await bedOf(sftpBed({ known_hosts: undefined, password: 'secret', base_path: undefined }));
    await opened(bed, { port: server.port });
    expect(server.tries).toEqual(['publickey', 'password']);
    // A variable that is empty is as one that is absent.
    server.tries.length = 0;
    await opened(bed, { port: server.port, key_file: '' });
    expect(server.tries).toEqual(['password']);
    const failure = await failureOf(opened(bed, { port: server.port, password: 'other-secret' }));
    expect([failure.code, failure.retriable]).toEqual(['connector_refused', false]);
    expect(failure.message).not.toContain('secret');
  });

  test('a key_file that is malformed, public, missing or has a passphrase is refused', async () => {
    const bed = await bedOf(sftpBed());
    const folder = folderWith({ 'none.key': 'no key' });
    cleanups.push(() => rmSync(folder, { recursive: true }));
    const locked = join(folder, 'locked.key');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', 'passphrase', '-f', locked]);
    for (const [file, says] of [
      [join(folder, 'none.key'), 'is not a private key'],
      [`${bed.access['key_file']}.pub`, 'is a public key'],
      [locked, 'has a passphrase'],
      [join(folder, 'missing.key'), 'cannot be read: ENOENT'],
    ] as const)
      expect((await failureOf(opened(bed, { key_file: file }))).message).toContain(says);
    for (const nothing of [{ key_file: undefined }, { key_file: '', password: '' }]) {
      const none = await failureOf(opened(bed, nothing));
      expect(none.message).toBe('connector "files": sftp needs key_file or password to sign in');
    }
  });
});
