import { readdirSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { describe, expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { HashThreads, type HashWork } from './hash-threads.ts';

const cheap: HashWork = {
  kind: 'argon2',
  salt: Buffer.alloc(16, 1),
  memory: 1_024,
  iterations: 1,
  parallelism: 1,
  length: 32,
};
/** A thread that ends with the first question. */
const mortal = new URL(
  `data:text/javascript,${encodeURIComponent("import { parentPort } from 'node:worker_threads'; parentPort.once('message', () => process.exit(1));")}`,
);
/** A thread that fails with the first question. */
const failing = new URL(
  `data:text/javascript,${encodeURIComponent("import { parentPort } from 'node:worker_threads'; parentPort.once('message', () => { throw new Error('no'); });")}`,
);

describe('threads', () => {
  test('are made when there is work, are used again, and end without it', async () => {
    const threads = new HashThreads({ idleTime: 20 });
    expect(threads.size).toBe(0);
    const tags = await Promise.all(['one', 'two', 'one'].map((password) => threads.compute(password, cheap)));
    expect(tags[2]).toEqual(tags[0]);
    expect(tags[1]).not.toEqual(tags[0]);
    expect(threads.size).toBeLessThanOrEqual(3);
    expect(await until(() => threads.size === 0)).toBe(true);
    expect(await threads.compute('one', cheap)).toEqual(tags[0]);
    expect(await until(() => threads.size === 0)).toBe(true);
  });

  test('get the bytes of a salt, and nothing that is beside it in memory', async () => {
    const program = new URL(
      `data:text/javascript,${encodeURIComponent(
        "import { parentPort } from 'node:worker_threads'; parentPort.on('message', ({ salt }) => parentPort.postMessage({ value: salt.buffer.byteLength === 16 }));",
      )}`,
    );
    const shared = Buffer.alloc(8_192, 7);
    const threads = new HashThreads({ program });
    expect(await threads.compute('one', { ...cheap, salt: shared.subarray(64, 80) } as HashWork)).toBe(true);
  });

  test('are made no more than there is work at a time', async () => {
    const threads = new HashThreads();
    for (let at = 0; at < 5; at++) await threads.compute('one', cheap);
    expect(threads.size).toBe(1);
  });

  test.each([
    ['ends', mortal],
    ['fails', failing],
  ])('when a thread %s, the one that waits is refused, and another takes its place', async (_, program) => {
    const threads = new HashThreads({ program });
    const asked = Array.from({ length: 3 }, () => threads.compute('one', cheap).catch((error: unknown) => error));
    for (const answer of await Promise.all(asked))
      expect(answer).toMatchObject({ code: 'internal', message: 'a thread that computes hashes ended' });
    expect(await until(() => threads.size === 0)).toBe(true);
    await expect(threads.compute('one', cheap)).rejects.toMatchObject({ code: 'internal' });
  });

  test('what cannot be computed is refused, and the thread is used again', async () => {
    const threads = new HashThreads();
    await expect(threads.compute('one', { ...cheap, memory: 1 } as HashWork)).rejects.toMatchObject({
      code: 'internal',
      message: 'the hash of a password could not be computed',
    });
    await threads.compute('one', cheap);
    expect(threads.size).toBe(1);
  });
});

describe.runIf(process.platform === 'linux')('on Linux', () => {
  test('P-19: they have a lower priority than the event loop, which keeps its own', async () => {
    const threads = new HashThreads();
    const before = niceThreads();
    await Promise.all([threads.compute('one', cheap), threads.compute('two', cheap)]);
    expect(niceThreads() - before).toBe(threads.size);
    expect(getPriority()).toBe(Number(niceOf(String(process.pid))));
  });

  test.each([
    ['argon2', cheap],
    ['pbkdf2', { kind: 'pbkdf2', digest: 'sha256', salt: Buffer.from('salt'), rounds: 10, length: 32 } as HashWork],
  ])('S-21: the bytes of a password are nowhere in the process after %s', async (_, work) => {
    const threads = new HashThreads();
    // Two bytes for each letter in UTF-8: a string of the engine has others, so that only what was encoded is found.
    const letters = Array.from({ length: 24 }, () => 0x430 + Math.floor(Math.random() * 16));
    await threads.compute(String.fromCharCode(...letters), work);
    const veiled = Uint8Array.from(letters.flatMap((letter) => [0xd0 ^ veil, (0x80 | (letter & 0x3f)) ^ veil]));
    expect(await isInMemory(veiled)).toBe(false);
    const kept = new TextEncoder().encode(String.fromCharCode(...letters));
    expect(await isInMemory(veiled)).toBe(true);
    expect(kept.length).toBe(48);
  });
});

function niceThreads(): number {
  const own = getPriority();
  return readdirSync('/proc/self/task').filter((id) => niceOf(id) === Math.min(19, own + 10)).length;
}

function niceOf(task: string): number {
  const stat = readFileSync(`/proc/self/task/${task}/stat`, 'latin1');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
}

const veil = 0x5a;

/** Whether bytes, which are given veiled so that they are not found themselves, are in the memory of the process. */
async function isInMemory(veiled: Uint8Array): Promise<boolean> {
  const memory = await open('/proc/self/mem', 'r');
  const piece = Buffer.alloc(1_048_576);
  try {
    for (const line of readFileSync('/proc/self/maps', 'latin1').split('\n')) {
      const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) ?? [];
      if (from === undefined || to === undefined) continue;
      const end = Number.parseInt(to, 16);
      for (let at = Number.parseInt(from, 16); at < end; at += piece.length - veiled.length) {
        const length = Math.min(piece.length, end - at);
        const read = await memory.read(piece, 0, length, at).then(
          ({ bytesRead }) => bytesRead,
          () => 0,
        );
        if (holds(piece.subarray(0, read), veiled)) return true;
      }
    }
    return false;
  } finally {
    piece.fill(0);
    await memory.close();
  }
}

function holds(piece: Uint8Array, veiled: Uint8Array): boolean {
  const first = (veiled[0] as number) ^ veil;
  for (let at = piece.indexOf(first); at >= 0; at = piece.indexOf(first, at + 1))
    if (veiled.every((byte, index) => ((piece[at + index] ?? 0) ^ veil) === byte)) return true;
  return false;
}
