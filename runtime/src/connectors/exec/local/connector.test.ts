import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connectorServices, recordingLog } from '../../../../../test/support/connector-services.ts';
import { folderWith } from '../../../../../test/support/folder.ts';
import { until } from '../../../../../test/support/until.ts';
import { isAlive } from '../../../platform/processes/testing/alive.ts';
import { failureOf, makeConnector, openConnector, output, prepared, type Written } from '../testing/bed.ts';

const never = new AbortController().signal;
const openFailure = async (written: Written, directory = folderWith()) =>
  failureOf(makeConnector({ command: 'true', ...written }, connectorServices({ directory })).open(never));

/** A folder with a script `tools/hello`, which may be run. */
function scripts(mode = 0o755): string {
  const directory = folderWith({ 'tools/hello': '#!/bin/sh\npwd' });
  chmodSync(join(directory, 'tools/hello'), mode);
  return directory;
}

describe('R-79: where programs and folders are', () => {
  test('a name is looked for in PATH, a path is taken from the configuration directory, in which programs run', async () => {
    const directory = scripts();
    const services = connectorServices({ directory });
    const ran = async (written: Written) => {
      const connector = await openConnector({ output_format: 'text', ...written }, services);
      return (await prepared(connector)({})).value;
    };
    expect(await ran({ command: './tools/hello' })).toEqual({ output: `${directory}\n` });
    expect(await ran({ command: './tools/hello', working_dir: 'tools' })).toEqual({ output: `${directory}/tools\n` });
    expect(await ran({ command: 'pwd', working_dir: '/' })).toEqual({ output: '/\n' });
    expect(await ran({ command: 'hello', env: { PATH: `relative::${directory}/tools` } })).toEqual({
      output: `${directory}\n`,
    });
  });

  test('what is missing, or may not be run, stops the start, with what to do', async () => {
    const failures = [
      await openFailure({ command: 'no-such-program', env: { PATH: '/bin:/usr/bin' } }),
      await openFailure({ command: './tools/hello' }, scripts(0o644)),
      await openFailure({ command: './tools' }, scripts()),
      await openFailure({ shell: 'no-such-shell -c' }),
      await openFailure({ working_dir: 'nowhere' }, '/etc'),
      await openFailure({ working_dir: './passwd' }, '/etc'),
    ];
    expect(failures.map(({ code, message }) => [code, message.replace(/\/tmp\/svc-files-\w+/, '…')])).toEqual([
      ['connector_refused', 'there is no program "no-such-program" in PATH (/bin:/usr/bin)'],
      ['connector_refused', '…/tools/hello is not a program that may be run'],
      ['connector_refused', '…/tools is not a program that may be run'],
      ['connector_refused', expect.stringContaining('there is no program "no-such-shell" in PATH')],
      [
        'connector_refused',
        'working_dir "nowhere" cannot be used: ENOENT: no such file or directory, stat \'/etc/nowhere\'',
      ],
      ['connector_refused', 'working_dir "./passwd" is not a folder: /etc/passwd'],
    ]);
  });

  test('what exists below the working directory alone is reported: a folder is refused, a program is run with a warning', async () => {
    const { message } = await openFailure({ working_dir: 'runtime/src' });
    expect(message).toMatch(
      /^working_dir "runtime\/src" does not exist at .*, but at .*\/runtime\/src\. Move the folder/,
    );
    const log = recordingLog();
    const services = connectorServices({ directory: folderWith(), log });
    await openConnector({ command: './node_modules/.bin/vitest' }, services);
    expect(log.lines.map(({ message }) => message)).toEqual([
      expect.stringMatching(/is not in the configuration directory; .*vitest of the working directory is run$/),
    ]);
  });

  test('commands of named operations are looked for at start too', async () => {
    const connector = makeConnector({ command: 'true' });
    prepared(connector, { named: { command: 'no-such-program' } });
    expect((await failureOf(connector.open(never))).message).toContain('"no-such-program"');
  });

  test('a program that goes while the service runs is reported by health, and its calls fail until it is back', async () => {
    const directory = scripts();
    const connector = await openConnector({ command: './tools/hello' }, connectorServices({ directory }));
    const [path, elsewhere] = [join(directory, 'tools/hello'), join(directory, 'tools/other')];
    rmSync(path);
    const failures = [
      await failureOf(connector.check?.(never) as Promise<unknown>),
      await failureOf(Promise.resolve(prepared(connector)({}))),
    ];
    expect(failures.map(({ code, retriable }) => [code, retriable])).toEqual([
      ['connector_refused', true],
      ['connector_refused', true],
    ]);
    symlinkSync('/bin/true', elsewhere);
    symlinkSync('/bin/true', path);
    await connector.check?.(never);
    expect(await prepared(connector)({})).toEqual({ value: [] });
  });
});

describe('S-51: variables of a program', () => {
  test('are few of the service, those that are named, and those of the block; A-11: its secrets are not among them', async () => {
    const before = { ...process.env };
    Object.assign(process.env, { DB_PASSWORD: 'canary', LC_ALL: 'C', HTTPS_PROXY: 'http://proxy', TZ: 'UTC' });
    try {
      const connector = await openConnector({
        command: 'env',
        output_format: 'lines',
        inherit_env: ['HTTPS_PROXY', 'NOT_SET'],
        env: { TZ: 'Europe/Berlin', OWN: 'a\nb' },
      });
      const { rows = [] } = await prepared(connector, { verb: 'read' })({});
      const names = rows.map(({ value }) => String(value).split('=')[0]);
      const known = ['HOME', 'HTTPS_PROXY', 'LC_ALL', 'OWN', 'PATH', 'TZ', 'b'];
      expect(known.filter((name) => !names.includes(name))).toEqual([]);
      const possible = [...known, 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TMPDIR', 'PWD', 'SHLVL', '_'];
      expect(names.filter((name) => !possible.includes(name as string) && !name?.startsWith('LC_'))).toEqual([]);
      expect(rows.map(({ value }) => value)).toContain('TZ=Europe/Berlin');
    } finally {
      process.env = before;
    }
  });
});

describe('S-51: the shell', () => {
  test.each([
    ['sh -c', '1 2'],
    ['true', '1 2'],
    ['/bin/sh', '1 2'],
    ['false', undefined],
    ['', undefined],
  ])('is %s', async (shell, expected) => {
    const line = 'expr 1 + 0 | tr "\\n" " "; echo';
    const run = output({ command: line, shell, args: ['2'] });
    if (expected === undefined) expect((await failureOf(run)).message).toMatch(/there is no program|is not a program/);
    else expect(await run).toBe('1 2\n');
  });
});

describe('how many run', () => {
  test('A-03: further calls wait for their turn, and too many fail at once; one that failed makes room', async () => {
    const folder = folderWith();
    const hold = `echo $$ > ${folder}/$0; while [ ! -e ${folder}/go ]; do sleep 0.02; done; exit 1`;
    const connector = await openConnector({ command: 'sh', args: ['-c', hold], max_processes: 2, max_waiting: 2 });
    const call = (operation: string) => failureOf(Promise.resolve(prepared(connector, { operation })({})));
    const running = [call('a'), call('b')];
    await until(() => readFileSync(join(folder, 'a')) && readFileSync(join(folder, 'b')));
    const waiting = [call('c'), call('d')];
    const refused = await call('e');
    expect([refused.code, refused.message]).toEqual([
      'connector_busy',
      '2 programs run and 2 calls wait (max_waiting)',
    ]);
    mkdirSync(join(folder, 'go'));
    const codes = (await Promise.all([...running, ...waiting])).map(({ code }) => code);
    expect(codes).toEqual(['connector_failed', 'connector_failed', 'connector_failed', 'connector_failed']);
  });

  test('one whose time is over while it waits was never started', async () => {
    const connector = await openConnector({ command: 'sleep', args: ['1000'], max_processes: 1 });
    const first = failureOf(Promise.resolve(prepared(connector)({})));
    const { code, message } = await failureOf(Promise.resolve(prepared(connector, { timeout: 20 })({})));
    expect([code, message]).toEqual([
      'connector_busy',
      'no program ended within 0.02s, so that none was started (max_processes)',
    ]);
    await connector.close(AbortSignal.abort());
    expect(await first).toMatchObject({ code: 'connector_refused', retriable: true });
  });
});

describe('failures', () => {
  test('a status other than 0 tells it with the end of standard error', async () => {
    const failed = (script: string, over: Written = {}) =>
      failureOf(output({ command: 'sh', args: ['-c', script], ...over }));
    const failures = [
      await failed('echo out; echo "no disk" >&2; exit 3'),
      await failed('exit 1'),
      await failed('kill -KILL $$'),
      await failed('echo 123456789 >&2; exit 1', { max_stderr: 5 }),
      await failed('sleep 1000', { timeout: 30, kill_after: 0 }),
    ];
    expect(failures.map(({ code, message, retriable }) => [code, message, retriable])).toEqual([
      ['connector_failed', 'command failed: exit status 3, stderr: no disk', true],
      ['connector_failed', 'command failed: exit status 1', true],
      ['connector_failed', 'command failed: ended by SIGKILL', true],
      ['connector_failed', 'command failed: exit status 1, stderr: 6789', true],
      ['connector_timeout', 'command timed out after 0.03s', true],
    ]);
  });

  test('the time between the signals is kill_after', async () => {
    const folder = folderWith();
    const script = `trap 'echo asked > ${folder}/asked' TERM; echo $$ > ${folder}/pid; while :; do sleep 0.02; done`;
    const connector = await openConnector({ command: 'sh', args: ['-c', script], kill_after: 600_000 });
    const stop = new AbortController();
    const call = failureOf(Promise.resolve(prepared(connector)({ signal: stop.signal })));
    const pid = await until(() => Number(readFileSync(join(folder, 'pid'), 'utf8')) || undefined);
    stop.abort();
    expect((await call).code).toBe('cancelled');
    await until(() => readFileSync(join(folder, 'asked')));
    expect(isAlive(pid)).toBe(true);
    process.kill(-pid, 'SIGKILL');
    await connector.close();
  });
});
