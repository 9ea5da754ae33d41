import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { folderWith } from '../../../../test/support/folder.ts';
import { until } from '../../../../test/support/until.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { Program, type ProgramOptions } from './program.ts';
import { isAlive } from './testing/alive.ts';

/** Starts a script; `SELF` is a folder of its own. */
function start(script: string, over: Partial<ProgramOptions> = {}) {
  const folder = folderWith();
  const stop = new AbortController();
  const options = { stop: stop.signal, killAfter: 50, maxStderr: 100, ...over };
  const env = { PATH: process.env['PATH'] ?? '', SELF: folder };
  const program = new Program({ file: '/bin/sh', args: ['-c', script], env, cwd: folder }, options);
  onTestFinished(() => stop.abort(new Failure('connector_refused', 'the test has ended')));
  const read = async () => {
    const pieces: Buffer[] = [];
    for await (const piece of program.output()) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  };
  const pid = (name: string) => until(() => Number(readFileSync(join(folder, name), 'utf8')) || undefined);
  return { program, stop, read, pid };
}

const late = new Failure('connector_timeout', 'too late');

test('gives what was written and how it ended', async () => {
  const { program, read } = start('cat; echo warning >&2; exit 3');
  program.stdin.end('in');
  expect([await read(), await program.exit, program.stderr]).toEqual([
    'in',
    { status: 3, signal: undefined },
    'warning',
  ]);
  const killed = start('kill -SEGV $$');
  await killed.read();
  expect(await killed.program.exit).toEqual({ status: undefined, signal: 'SIGSEGV' });
});

test('keeps the last bytes of standard error, without what controls a terminal', async () => {
  const { program, read } = start('printf "%0200d\\033[31mred\\007\\n" 7 >&2');
  await read();
  await program.exit;
  expect(program.stderr).toBe(`${'0'.repeat(89)}7[31mred`);
});

test('R-79: a program that cannot be started is a Failure that tells whether trying again may help', async () => {
  const options = { stop: new AbortController().signal, killAfter: 0, maxStderr: 0 };
  const started = (file: string, args: readonly string[] = []) =>
    new Program({ file, args, env: {}, cwd: '/' }, options).exit;
  const failures = await Promise.all([
    started('/nowhere/program').catch((error) => error),
    started('/etc/passwd').catch((error) => error),
  ]);
  expect(failures.map(({ code, message, retriable }) => [code, message, retriable])).toEqual([
    ['connector_refused', '"/nowhere/program" cannot be started: spawn /nowhere/program ENOENT', true],
    ['connector_refused', '"/etc/passwd" cannot be started: spawn /etc/passwd EACCES', true],
  ]);
  expect(() => started('/bin/true', ['x'.repeat(4_000_000)])).toThrow('too long');
});

describe('S-51: ended, it takes every process with it', () => {
  test('also those that ignore SIGTERM, and those in the background', async () => {
    const { program, stop, read, pid } = start(
      "trap '' TERM; (trap '' TERM; sh -c 'echo $$ > $SELF/inner; exec sleep 1000') & echo $$ > $SELF/outer; wait",
    );
    const pids = [await pid('outer'), await pid('inner')];
    const reading = read().catch((error) => error);
    stop.abort(late);
    expect(await reading).toBe(late);
    await program.gone;
    await until(() => !pids.some(isAlive));
  });

  test('one that ends when it is asked to has the time for that', async () => {
    const { stop, program, pid } = start(
      "trap 'echo 7 > $SELF/clean; exit 0' TERM; echo 1 > $SELF/up; while :; do sleep 0.01; done",
      {
        killAfter: 60_000,
      },
    );
    await pid('up');
    stop.abort(late);
    await program.gone;
    expect(await pid('clean')).toBe(7);
  });

  test('a closed connector does not give it that time', async () => {
    const { stop, program, pid } = start("trap '' TERM; echo $$ > $SELF/up; sleep 1000", { killAfter: 600_000 });
    const own = await pid('up');
    stop.abort(new Failure('connector_refused', 'closed'));
    await program.gone;
    expect(isAlive(own)).toBe(false);
  });

  test('what it leaves in the background neither holds the call nor outlives it', async () => {
    const { program, read, pid } = start('sleep 1000 & echo $! > $SELF/left; echo done');
    expect(await read()).toBe('done\n');
    expect(await program.exit).toEqual({ status: 0, signal: undefined });
    const left = await pid('left');
    await until(() => !isAlive(left));
  });

  test('nor does one that left the group and keeps the pipes', async () => {
    const { program, read, pid } = start("setsid sh -c 'echo $$ > $SELF/left; exec sleep 1000' & sleep 0.1; echo done");
    expect(await read()).toBe('done\n');
    await program.gone;
    process.kill(await pid('left'), 'SIGKILL');
  });

  test('one that ended before it was stopped is not signalled again', async () => {
    const { program, stop, read } = start('echo done');
    expect(await read()).toBe('done\n');
    await program.gone;
    stop.abort(late);
    program.end(late);
    expect(await program.exit).toEqual({ status: 0, signal: undefined });
  });
});

test('A-05: what is not read stays in the program', async () => {
  const { program } = start('yes');
  const output = program.output();
  expect((await output.next()).value?.length).toBeGreaterThan(0);
  const before = process.memoryUsage().arrayBuffers;
  // Ten turns in which a reader that does not hold back would take megabytes.
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2_000_000);
  await output.return(undefined);
});

test('no zombie is left of many', async () => {
  await Promise.all(
    Array.from({ length: 30 }, async () => {
      const { program, read } = start('echo x');
      await read();
      await program.gone;
    }),
  );
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  const states = children.map((pid) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0]);
  expect(states.filter((state) => state === 'Z')).toEqual([]);
});
