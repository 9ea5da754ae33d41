import { afterEach, describe, expect, test } from 'vitest';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { faultProxy } from '../../../../../test/support/proxy.ts';
import { ask, failureOf } from '../testing/asking.ts';
import { remoteConnector, type WrittenBlock } from './testing/bed.ts';
import { FtpStandIn, type StandInOptions } from './testing/ftp-stand-in.ts';
import { SshStandIn } from './testing/ssh-stand-in.ts';

const never = new AbortController().signal;
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function opened(port: number, written: WrittenBlock = {}) {
  const block = { host: '127.0.0.1', port, timeout: 2_000, ...written };
  const connector = remoteConnector(block, connectorServices());
  cleanups.push(() => connector.close(AbortSignal.abort()));
  await connector.open(never);
  return connector;
}

async function ftpServer(options: StandInOptions, written: WrittenBlock = {}) {
  const server = await FtpStandIn.start(options);
  cleanups.push(() => server.stop());
  return { server, connector: await opened(server.port, written) };
}

const facts = (names: readonly string[]) => names.map((name) => `type=file;size=1; ${name}\r\n`).join('');
const unix = (names: readonly string[]) =>
  names.map((name) => `-rw-r--r--    1 0        0               1 Nov 26 21:38 ${name}\r\n`).join('');

describe('a server of FTP', () => {
  const leading = ['../../etc/passwd', '..\\..\\x', '/etc/passwd', 'a/b', '%2e%2e%2fx', 'a\rDELE b'];
  test.each(leading)('S-81: that lists %j is refused, in both forms of lists', async (name) => {
    for (const [features, list] of [
      [['MLST type*;size*;'], facts(['ok', name])],
      [[], unix(['ok', name])],
    ] as const) {
      const { connector } = await ftpServer({ features, list });
      const failure = await failureOf(ask(connector, 'list', { path: '' }));
      expect([failure.code, failure.retriable]).toEqual(['connector_failed', false]);
      expect(failure.message).toBe('the server lists a name that cannot be one in its folder');
    }
  });

  test('A-06: whose tree has no end is refused when its paths are longer than any may be', async () => {
    const list = 'type=dir; deeper-and-deeper-and-deeper\r\n';
    const { connector } = await ftpServer({ features: ['MLST type*;'], list });
    const failure = await failureOf(ask(connector, 'list', { path: '', recursive: true }));
    expect([failure.code, failure.retriable]).toEqual(['connector_failed', false]);
  });

  test('that answers another address to PASV is asked at its own', async () => {
    const answers = { EPSV: () => '502 unknown' };
    const { server, connector } = await ftpServer({ answers, passiveHost: '10,1,2,3', list: unix(['a.txt']) });
    expect(await ask(connector, 'list', { path: '' })).toMatchObject([{ path: 'a.txt', size: 1 }]);
    expect(server.commands).toContain('PASV');
  });

  test('whose answers come in pieces is understood: a piece of a line is not taken for it', async () => {
    const server = await FtpStandIn.start({ features: ['MLST type*;'], list: facts(['a.txt']) });
    cleanups.push(() => server.stop());
    const proxy = await faultProxy({ port: server.port });
    cleanups.push(() => proxy.close());
    proxy.fault = 'drip';
    for (let time = 0; time < 5; time++) {
      const connector = await opened(proxy.port, { timeout: 10_000, base_path: '/a/folder/with/a/long/name' });
      expect(await ask(connector, 'list', { path: '' })).toMatchObject([{ path: 'a.txt', size: 1 }]);
    }
  });

  test('A-04: whose file is shorter or longer than it said is reported, and nothing beyond it is read', async () => {
    const size = { SIZE: () => '213 5', CWD: (path: string) => (path.endsWith('.bin') ? '550 no' : '250 ok') };
    const short = await ftpServer({ features: ['SIZE'], answers: size, bytes: Buffer.from('abc') });
    const failure = await failureOf(ask(short.connector, 'read', { path: 'a.bin' }));
    expect([failure.code, failure.message]).toEqual(['connector_failed', '"a.bin" ended before all of it had come']);
    const long = await ftpServer({ features: ['SIZE'], answers: size, bytes: Buffer.from('abcdefgh') });
    expect(await ask(long.connector, 'read', { path: 'a.bin', format: 'text' })).toMatchObject([{ _content: 'abcde' }]);
  });

  test('no path begins another command', async () => {
    const { server, connector } = await ftpServer({ features: ['SIZE', 'MDTM'] });
    for (const path of ['a\r\nDELE b', 'a\nDELE b', 'a\rDELE b'])
      for (const operation of ['read', 'write', 'append', 'delete', 'stat', 'list', 'mkdir', 'exists'])
        expect((await failureOf(ask(connector, operation, { path, content: 'x' }))).code).toBe('value_refused');
    const two = { source: 'a.bin', destination: 'b\r\nDELE c' };
    for (const operation of ['copy', 'move'])
      expect((await failureOf(ask(connector, operation, two))).code).toBe('value_refused');
    expect(server.commands.filter((line) => line.includes('DELE'))).toEqual([]);
  });

  test('S-87: that answers before TLS is not believed, and is not sent a password', async () => {
    const answers = { AUTH: () => '234 begin\r\n200 ok\r\n331 send the password\r\n230 you are in' };
    const server = await FtpStandIn.start({ answers });
    cleanups.push(() => server.stop());
    const written = { tls: {}, username: 'user', password: 'secret', timeout: 500 };
    const failure = await failureOf(opened(server.port, written));
    expect(failure.code).toMatch(/^connector_(timeout|refused)$/);
    expect(server.commands.filter((line) => /USER|PASS/.test(line))).toEqual([]);
  });

  test('S-87: that has no TLS is not sent a password', async () => {
    const server = await FtpStandIn.start({ answers: { AUTH: () => '502 no' } });
    cleanups.push(() => server.stop());
    const failure = await failureOf(opened(server.port, { tls: {}, username: 'user', password: 'secret' }));
    expect(failure.code).toBe('connector_refused');
    expect(server.commands.filter((line) => /USER|PASS/.test(line))).toEqual([]);
  });

  test('times come from MDTM, of lists for people to the minute', async () => {
    const answers = { SIZE: () => '213 1', CWD: (path: string) => (path.endsWith('a') ? '550 no' : '250 ok') };
    const list = '-rw-r--r--    1 0        0               1 Jan 02 2024 a\r\n';
    const { connector } = await ftpServer({ features: ['SIZE', 'MDTM'], answers, list });
    expect(await ask(connector, 'stat', { path: 'a' })).toMatchObject({ mod_time: '2024-02-29T12:34:56.500Z' });
    expect(await ask(connector, 'list', { path: '' })).toMatchObject([{ mod_time: '2024-01-02T00:00:00.000Z' }]);
  });

  test('without sizes is asked for the list of the folder', async () => {
    const list = '-rw-r--r--    1 0        0               7 Jan 02 2024 a.bin\r\n';
    const { connector } = await ftpServer({ list });
    expect(await ask(connector, 'stat', { path: 'a.bin' })).toMatchObject({ size: 7, is_dir: false });
    expect(await ask(connector, 'exists', { path: 'b.bin' })).toEqual({ exists: false, path: 'b.bin' });
  });

  test('that renames over no file has the one before it removed', async () => {
    let isThere = true;
    const answers = {
      CWD: (path: string) => (/a.txt$|b$/.test(path) ? '550 no' : '250 ok'),
      RNFR: () => '350 and',
      RNTO: () => (isThere ? '553 it exists' : '250 renamed'),
      DELE: () => {
        isThere = false;
        return '250 gone';
      },
    };
    const { server, connector } = await ftpServer({ features: ['SIZE'], answers });
    await ask(connector, 'move', { source: 'b', destination: 'a.txt' });
    const said = server.commands.filter((line) => /^(RN|DELE)/.test(line)).map((line) => line.replace('/home/', ''));
    expect(said).toEqual(['RNFR b', 'RNTO a.txt', 'DELE a.txt', 'RNFR b', 'RNTO a.txt']);
  });

  test('A-04: that says too much, or speaks another protocol, is left', async () => {
    for (const greeting of ['220-'.repeat(100_000), 'HTTP/1.1 400 Bad Request']) {
      const server = await FtpStandIn.start({ answers: { FEAT: () => greeting } });
      cleanups.push(() => server.stop());
      const failure = await failureOf(opened(server.port, { timeout: 300 }));
      expect(failure.code).toMatch(/^connector_(timeout|refused)$/);
    }
  });
});

describe('a server of SFTP', () => {
  async function sshServer(names: readonly string[]) {
    const server = await SshStandIn.start({ password: 'secret', names });
    cleanups.push(() => server.stop());
    return opened(server.port, { protocol: 'sftp', username: 'user', password: 'secret' });
  }

  test.each(['../../etc/passwd', '/etc/passwd', 'a/b', 'a\0b', '', '..\\x'])(
    'S-81: that lists %j is refused',
    async (name) => {
      const failure = await failureOf(ask(await sshServer(['ok', name]), 'list', { path: '' }));
      expect([failure.code, failure.message]).toEqual([
        'connector_failed',
        'the server lists a name that cannot be one in its folder',
      ]);
    },
  );

  test('what it lists is listed', async () => {
    const connector = await sshServer(['.', '..', 'a b', 'ä']);
    expect(await ask(connector, 'list', { path: '' })).toMatchObject([{ path: 'a b' }, { path: 'ä' }]);
  });
});
