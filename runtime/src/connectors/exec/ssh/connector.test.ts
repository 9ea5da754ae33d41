import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { folderWith } from '../../../../../test/support/folder.ts';
import { faultProxy } from '../../../../../test/support/proxy.ts';
import { sshAccess, startSshd } from '../../../../../test/support/servers/sshd.ts';
import { until } from '../../../../../test/support/until.ts';
import type { CallRequest } from '../../../foundation/contracts/target.ts';
import { isAlive } from '../../../platform/processes/testing/alive.ts';
import { atEnd, failureOf, prepared, type Written } from '../testing/bed.ts';
import { makeSsh, openSsh, sshBlock, sshUrl } from '../testing/ssh-bed.ts';

const never = new AbortController().signal;
const nowhere = { file: 'test.hcl', range: { start: 0, end: 0 } };
const given = { args: { kind: 'constant', value: [], origin: nowhere } } as const;

/** What a program of the other side prints. */
async function output(written: Written, request: CallRequest = {}): Promise<string | undefined> {
  const connector = await openSsh({ output_format: 'text', ...written });
  const { value } = await prepared(connector, { written: given })(request);
  return (value as { readonly output?: string }).output;
}

const openFailure = (written: Written) => failureOf(makeSsh({ command: 'true', ...written }).open(never));

describe.skipIf(sshUrl === undefined)('programs of another machine', () => {
  test('S-51: every argument arrives as it is, whatever a shell would make of it', async () => {
    const hostile = ["a'b", '$(id)', '`id`', 'a;id', 'a\nb', '"', '\\', '*', '~', '!!', '', ' ', 'ä😀', '--'];
    const expected = hostile.map((text) => `[${text}]`).join('');
    const request = { words: { args: hostile } };
    expect(await output({ command: 'printf', args: ['[%s]'] }, request)).toBe(expected);
    expect(await output({ command: "printf '[%s]'", shell: 'sh -c' }, request)).toBe(expected);
  });

  test('input, folder and variables reach the program; variables are in no list of processes', async () => {
    const secret = "it's a 'secret'";
    const count = `awk 'index($0, ENVIRON["TOKEN"]) { n++ } END { print n + 0 }'`;
    const script = `cat; pwd; printenv TOKEN; cat /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n' | ${count}`;
    const connector = await openSsh({
      command: 'sh',
      args: ['-c', script],
      working_dir: '/usr',
      env: { TOKEN: secret },
      output_format: 'text',
    });
    const { value } = await prepared(connector)({ params: { a: 1 } });
    expect(value).toEqual({ output: `{"a":1}/usr\n${secret}\n0\n` });
  });

  test('bytes pass both ways', async () => {
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, at) => (at * 7) & 255));
    const connector = await openSsh({ command: 'cat', output_format: 'binary' });
    const { value } = await prepared(connector, { binary: true })({ payload: { _binary: bytes } });
    expect((value as { readonly size: bigint }).size).toBe(100_000n);
  });

  test('a status, its messages, and one that is also that of ssh', async () => {
    const connector = await openSsh({ command: 'sh', args: ['-c'] });
    const ended = (script: string) =>
      failureOf(Promise.resolve(prepared(connector, { operation: script })({}))).then(({ code, message }) => [
        code,
        message,
      ]);
    expect(await Promise.all([ended('echo no >&2; exit 3'), ended('exit 255')])).toEqual([
      ['connector_failed', 'command failed: exit status 3, stderr: no'],
      ['connector_failed', 'command failed: exit status 255'],
    ]);
  });

  test('S-51: it is ended with everything that it started when its call is, though no one there ends it', async () => {
    const folder = folderWith();
    const script = `trap '' TERM HUP; (trap '' TERM HUP; sh -c 'echo $$ > ${folder}/inner; exec sleep 1000') & echo $$ > ${folder}/outer; wait`;
    const connector = await openSsh({ command: 'sh', args: ['-c'], kill_after: 1 });
    const stop = new AbortController();
    const call = failureOf(Promise.resolve(prepared(connector, { operation: script })({ signal: stop.signal })));
    const pid = (name: string) => until(() => Number(readFileSync(join(folder, name), 'utf8')) || undefined);
    const pids = [await pid('outer'), await pid('inner')];
    stop.abort();
    expect((await call).code).toBe('cancelled');
    await until(() => !pids.some(isAlive));
  });

  test('A-10: a connection that is lost while it runs leaves the outcome unknown; the program is ended', async () => {
    const proxy = await faultProxy({ port: sshAccess(sshUrl as string).port });
    atEnd(() => proxy.close());
    const folder = folderWith();
    const connector = await openSsh({ command: 'sh', args: ['-c'], ssh: sshBlock(proxy.port), kill_after: 1 });
    const script = `echo $$ > ${folder}/pid; exec sleep 1000`;
    const call = failureOf(Promise.resolve(prepared(connector, { operation: script })({})));
    const pid = await until(() => Number(readFileSync(join(folder, 'pid'), 'utf8')) || undefined);
    proxy.fault = 'refuse';
    proxy.reset();
    expect((await call).code).toBe('outcome_unknown');
    expect((await failureOf(Promise.resolve(prepared(connector, { operation: 'true' })({})))).code).toBe(
      'connector_refused',
    );
    await until(() => !isAlive(pid));
  });

  test('R-79: what cannot work is reported at start: the host, the key, files, programs', async () => {
    const block = sshBlock();
    const strange = join(folderWith(), 'known_hosts');
    writeFileSync(strange, '');
    const failures = [
      await openFailure({ ssh: { ...block, known_hosts: strange } }),
      await openFailure({ ssh: { ...block, key_file: '/nowhere/key' } }),
      await openFailure({ command: 'no-such-program' }),
      await openFailure({ ssh: { ...block, port: 1 }, timeout: 5_000 }),
    ];
    expect(failures.map(({ code, message }) => [code, message])).toEqual([
      ['connector_refused', expect.stringContaining('Host key verification failed')],
      ['connector_refused', expect.stringContaining('/nowhere/key cannot be read: ENOENT')],
      ['connector_refused', '127.0.0.1 has no program "no-such-program"'],
      ['connector_refused', expect.stringContaining('cannot reach 127.0.0.1')],
    ]);
  });

  test('without known_hosts, the first key is kept, and another one is refused', async () => {
    const { known_hosts: _, ...block } = sshBlock();
    const proxy = await faultProxy({ port: sshAccess(sshUrl as string).port });
    atEnd(() => proxy.close());
    const other = await startSshd();
    atEnd(() => other.stop());
    const before = new Set(readdirSync(tmpdir()).filter((name) => name.startsWith('svc-ssh-')));
    const connector = await openSsh({ command: 'true', ssh: { ...block, port: proxy.port } });
    await prepared(connector)({});
    const [pin] = readdirSync(tmpdir()).filter((name) => name.startsWith('svc-ssh-') && !before.has(name));
    const kept = join(tmpdir(), pin as string);
    expect(readFileSync(join(kept, 'known_hosts'), 'utf8')).toContain(sshAccess(sshUrl as string).hostKey);
    // The same address is now another machine.
    const { hostKey } = sshAccess(other.address);
    writeFileSync(join(kept, 'known_hosts'), `[127.0.0.1]:${proxy.port} ${hostKey}\n`);
    const failure = await failureOf(Promise.resolve(prepared(connector)({})));
    expect([failure.code, failure.message]).toEqual([
      'connector_refused',
      expect.stringMatching(/host key|identification/i),
    ]);
    await connector.close();
    expect(existsSync(kept)).toBe(false);
  });

  test('a user that the other machine does not know is refused', async () => {
    const failure = await openFailure({ ssh: { ...sshBlock(), user: 'no-such-user' } });
    expect([failure.code, failure.message]).toEqual([
      'connector_refused',
      expect.stringContaining('no-such-user@127.0.0.1: Permission denied'),
    ]);
  });

  test('relative files are those of the configuration directory', async () => {
    const { key_file: key, known_hosts: hosts, ...block } = sshBlock();
    const directory = folderWith({ 'a hosts %h': readFileSync(hosts as string, 'utf8') });
    const services = connectorServices({ directory });
    const connector = await openSsh(
      { command: 'true', ssh: { ...block, key_file: key, known_hosts: 'a hosts %h' } },
      services,
    );
    expect(await prepared(connector)({})).toEqual({ value: [] });
  });
});
