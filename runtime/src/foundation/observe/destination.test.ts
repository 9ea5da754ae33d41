import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { type SmallDisk, smallDisk } from '../../../../test/support/small-disk.ts';

const module = fileURLToPath(new URL('./destination.ts', import.meta.url));

/** Writes `lines` lines of `size` characters, lets the event loop turn, and ends. */
const program = (lines: number, size: number) => `
  import { fileDestination } from ${JSON.stringify(module)};
  const destination = fileDestination(2);
  for (let at = 0; at < ${lines}; at++) destination.write(String(at).padEnd(${size}, '.') + '\\n');
  await new Promise((resolve) => setImmediate(resolve));
  process.stdout.write('turns\\n');
  destination.write('last\\n');
  destination.flush();
  process.stdout.write('flushed\\n');
`;

const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});
const folder = () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-log-'));
  directories.push(directory);
  return directory;
};

function run(text: string, stderr: 'pipe' | number, variables: Readonly<Record<string, string>> = {}): ChildProcess {
  const env = { ...process.env, ...variables };
  return spawn(process.execPath, ['--input-type=module', '-e', text], { stdio: ['ignore', 'pipe', stderr], env });
}

async function ended(child: ChildProcess): Promise<{ code: number | null; out: string }> {
  let out = '';
  child.stdout?.on('data', (chunk) => {
    out += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.on('exit', resolve));
  return { code, out };
}

const expected = (lines: number, size: number) =>
  `${Array.from({ length: lines }, (_, at) => `${String(at).padEnd(size, '.')}\n`).join('')}last\n`;

/** A pipe of the system, both ends open and in blocking mode for the writer. */
function pipe(): { read: number; write: number } {
  const path = join(folder(), 'log');
  execFileSync('mkfifo', [path]);
  const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { read, write: openSync(path, constants.O_WRONLY) };
}

describe('a reader that reads nothing and does not close its end', () => {
  test.each([
    ['little', 1],
    ['more than a pipe holds', 2_000],
    ['more than is held', 40_000],
  ])('neither stops the program nor keeps it from ending: %s', async (_what, lines) => {
    const { read, write } = pipe();
    try {
      expect(await ended(run(program(lines, 500), write))).toEqual({ code: 0, out: 'turns\nflushed\n' });
    } finally {
      closeSync(read);
      closeSync(write);
    }
  });

  test('so it is with a socket', async () => {
    const child = run(program(2_000, 500), 'pipe');
    child.stderr?.pause();
    expect(await ended(child)).toEqual({ code: 0, out: 'turns\nflushed\n' });
    child.stderr?.destroy();
  });
});

describe('every line arrives in order', () => {
  test('at a reader that is slower than the writer', async () => {
    const child = run(program(5_000, 300), 'pipe');
    let text = '';
    child.stderr?.on('data', (chunk) => {
      text += chunk;
      child.stderr?.pause();
      setImmediate(() => child.stderr?.resume());
    });
    const closed = new Promise((resolve) => child.on('close', resolve));
    await closed;
    expect(text).toBe(expected(5_000, 300));
  });

  test('in a file', async () => {
    const path = join(folder(), 'log');
    const file = openSync(path, 'a');
    expect((await ended(run(program(5_000, 300), file))).code).toBe(0);
    closeSync(file);
    expect(readFileSync(path, 'utf8')).toBe(expected(5_000, 300));
  });
});

test('a line that waits for a thread is in the file when the process ends at once, before those behind it', async () => {
  const [path, gate] = [join(folder(), 'log'), join(folder(), 'gate')];
  execFileSync('mkfifo', [gate]);
  const file = openSync(path, 'a');
  // The one thread of the pool opens the gate, which takes until the other end is opened, too: when the flush waits.
  const text = `
    import { open, writeSync } from 'node:fs';
    import { fileDestination } from ${JSON.stringify(module)};
    const wait = Atomics.wait;
    Atomics.wait = (...how) => {
      Atomics.wait = wait;
      writeSync(1, 'waits\\n');
      return wait(...how);
    };
    open(${JSON.stringify(gate)}, 'r', () => undefined);
    const destination = fileDestination(2);
    destination.write('first\\n');
    await new Promise((resolve) => setImmediate(resolve));
    destination.write('last\\n');
    destination.flush();
    writeSync(1, 'flushed\\n');
    process.exit(0);
  `;
  const child = run(text, file, { UV_THREADPOOL_SIZE: '1' });
  closeSync(file);
  child.stdout?.once('data', () => open(gate, 'w').then((end) => end.close()));
  expect(await ended(child)).toEqual({ code: 0, out: 'waits\nflushed\n' });
  expect(readFileSync(path, 'utf8')).toBe('first\nlast\n');
});

test('a reader that has closed its end is not an error', async () => {
  const { read, write } = pipe();
  closeSync(read);
  const { code, out } = await ended(run(program(2_000, 500), write));
  closeSync(write);
  expect([code, out]).toEqual([0, 'turns\nflushed\n']);
});

const mounts = smallDisk('64k');
if (mounts === undefined) console.warn('SKIP  logs on full disks: no file system can be mounted here');
mounts?.[Symbol.dispose]();

test.skipIf(mounts === undefined).each([
  ['nothing is lost while it can be held', 500, 0],
  ['what cannot be held is counted, and reported once', 40_000, 1],
])('a disk that is full for a while: %s', async (_what, lines, times) => {
  using disk = smallDisk('32m') as SmallDisk;
  const path = join(disk.path, 'log');
  const filler = join(disk.path, 'filler');
  const file = openSync(path, 'a');
  expect(() => writeFileSync(filler, Buffer.alloc(64 * 1024 * 1024))).toThrow(/ENOSPC/);
  const child = run(
    `
    import { fileDestination, logFile } from ${JSON.stringify(module)};
    import { setTimeout as wait } from 'node:timers/promises';
    const destination = fileDestination(2);
    destination.whenLost((lines) => destination.write('lost ' + lines + '\\n'));
    for (let at = 0; at < ${lines}; at++) destination.write(String(at).padEnd(500, '.') + '\\n');
    while (logFile.problem === undefined) await wait(5);
    console.log(logFile.problem);
    while (logFile.problem !== undefined) await wait(5);
    await wait(5);
    destination.flush();
    destination.write('last\\n');
    destination.flush();
  `,
    file,
  );
  closeSync(file);
  child.stdout?.once('data', () => rmSync(filler));
  expect(await ended(child)).toEqual({
    code: 0,
    out: 'the log cannot be written: no space is left on the device\n',
  });
  const found = readFileSync(path, 'utf8').split('\n');
  const reports = found.filter((line) => line.startsWith('lost '));
  const lost = reports.reduce((sum, line) => sum + Number(line.slice('lost '.length)), 0);
  const kept = found.filter((line) => /^\d+\./.test(line)).map((line) => Number.parseInt(line, 10));
  expect(kept).toEqual(Array.from({ length: lines - lost }, (_, at) => at));
  expect({ reports: reports.length, last: found.at(-2) }).toEqual({ reports: times, last: 'last' });
});
