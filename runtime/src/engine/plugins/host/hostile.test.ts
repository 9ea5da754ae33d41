import { afterEach, describe, expect, test } from 'vitest';
import { answering, assemble, moduleText } from '../../../../../test/support/wasm.ts';
import { closePools, startPool as start, startBytes } from '../testing/pool.ts';
import type { ModuleSettings } from './module-pool.ts';

afterEach(closePools);

const messageOf = (running: Promise<unknown>) =>
  running.catch((error: unknown) => (error instanceof Error ? error.message : error));

const loop = '(func (export "bad") (param i32 i32) (result i32) (loop $on (br $on)) (i32.const 0))';
const gives = (body: string) => `(func (export "bad") (param i32 i32) (result i32) ${body})`;
/** A result whose length is written before it. */
const length = (value: string, at = '131000') =>
  gives(`(i32.store (i32.const ${at}) (i32.const ${value})) (i32.const ${at})`);

describe('S-83: a module that misbehaves fails its own call, and is used again', () => {
  test.each<[string, string, string, Partial<ModuleSettings['limits']>?]>([
    ['an endless loop', loop, 'bad did not end within its timeout of 200 ms', { timeout: 200 }],
    ['a trap', gives('(unreachable)'), 'bad: unreachable'],
    [
      'endless recursion',
      '(func $bad (export "bad") (param i32 i32) (result i32) (i32.add (call $bad (i32.const 0) (i32.const 0)) (i32.const 1)))',
      'bad: Maximum call stack size exceeded',
    ],
    [
      'growing of memory without end',
      gives('(loop $on (br_if $on (i32.ne (memory.grow (i32.const 1)) (i32.const -1)))) (unreachable)'),
      'bad: unreachable',
    ],
    [
      'a result behind its memory',
      gives('(i32.const -16)'),
      'bad: its result is outside of its memory (4294967280, 4 bytes)',
    ],
    ['a result at 0', gives('(i32.const 0)'), 'bad: its result is at the address 0'],
    ['a length behind its memory', length('90000'), 'bad: its result is outside of its memory (131004, 90000 bytes)'],
    ['a result of 1 GB', length('1073741824'), 'bad: its result has 1073741824 bytes, more than max_bytes (100000)'],
    [
      'a result that is not JSON',
      answering('bad', '{nothing'),
      "bad: its result is not JSON: Expected property name or '}' at position 1 (line 1 column 2)",
    ],
    [
      'a result in the memory of its input',
      gives('(i32.store (local.get 0) (i32.const 1)) (local.get 0)'),
      'bad: its result is in the memory of its input, which is given back after the call',
    ],
    ['an error', answering('bad', '{"error":"no such country"}'), 'bad: no such country'],
    ['an error that is an object', answering('bad', '{"error":{"code":7}}'), 'bad: {"code":7}'],
  ])('%s', async (name, body, expected, over) => {
    const { pool, seen } = await start(moduleText(`${body} ${answering('good', '{"result":1}', 4096)}`), over);
    const calls = ['good', 'bad', 'good', 'bad', 'good'].map((entry) =>
      messageOf(pool.call(entry, 'json', '{"args":[]}')),
    );
    const good = { result: 1 };
    expect(await Promise.all(calls)).toEqual([good, `test.wasm: ${expected}`, good, `test.wasm: ${expected}`, good]);
    expect(seen.ended).toBe(name === 'an endless loop' ? 2 : 0);
    expect(pool.counts).toMatchObject({ calls: 5, failed: 2, threads: 1, waiting: 0 });
  });
});

describe('S-83: memory that its alloc gives', () => {
  const module = (alloc: string) => `(module (memory (export "memory") 2)
    (func (export "alloc") (param i32) (result i32) ${alloc}) ${answering('go', '1')})`;

  test.each([
    ['is missing', '(i32.const 0)', 'its alloc gives no memory for 2 bytes'],
    [
      'is behind its memory',
      '(i32.const 131071)',
      'its alloc gives memory that it does not have (131071, for 2 bytes)',
    ],
    ['is far behind', '(i32.const -1)', 'its alloc gives memory that it does not have (4294967295, for 2 bytes)'],
    [
      'overlaps its result',
      '(i32.const 1028)',
      'its result is in the memory of its input, which is given back after the call',
    ],
  ])('%s', async (_, alloc, expected) => {
    const { pool } = await start(module(alloc));
    expect(await messageOf(pool.call('go', 'json', '{}'))).toBe(`test.wasm: go: ${expected}`);
  });
});

describe('S-83: what cannot be started is refused by name', () => {
  const memory = '(memory (export "memory") 1) (func (export "alloc") (param i32) (result i32) (i32.const 8))';
  const only =
    'which plugins are not given: there are functions of wasi_snapshot_preview1 without network, and env.abort';

  test.each([
    ['another import', `(module (import "env" "open" (func)) ${memory})`, `it imports the function env.open, ${only}`],
    [
      'a socket',
      `(module (import "wasi_snapshot_preview1" "sock_send" (func)) ${memory})`,
      `it imports the function wasi_snapshot_preview1.sock_send, ${only}`,
    ],
    ['memory of the host', '(module (import "env" "memory" (memory 1)))', `it imports the memory env.memory, ${only}`],
    [
      'a global of the host',
      `(module (import "env" "g" (global i32)) ${memory})`,
      `it imports the global env.g, ${only}`,
    ],
    [
      'no memory',
      '(module (func (export "alloc") (param i32) (result i32) (i32.const 8)))',
      'it does not export its memory as "memory"',
    ],
    ['no alloc', '(module (memory (export "memory") 1))', 'it exports neither alloc nor malloc'],
    [
      'another alloc',
      '(module (memory (export "memory") 1) (func (export "alloc") (param i64) (result i32) (i32.const 8)))',
      'its export alloc is (i64) -> i32, not (i32) -> i32',
    ],
    [
      'too much memory',
      '(module (memory (export "memory") 100) (func (export "alloc") (param i32) (result i32) (i32.const 8)))',
      'it begins with 7 MiB of memory, more than its max_memory_mb of 4',
    ],
    [
      'a start that traps',
      `(module ${memory} (func $go (unreachable)) (start $go))`,
      'test.wasm cannot be started: unreachable',
    ],
    [
      'an _initialize that traps',
      `(module ${memory} (func (export "_initialize") (unreachable)))`,
      'test.wasm cannot be started: unreachable',
    ],
    [
      'a program that fails',
      `(module (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32))) ${memory} (func (export "_start") (call $exit (i32.const 3))))`,
      'test.wasm cannot be started: it ended itself with status 3',
    ],
  ])('%s', async (_, source, expected) => {
    expect(await messageOf(start(source))).toBe(expected);
  });

  test('another file than a module', async () => {
    expect(await messageOf(startBytes(Buffer.from('hello')))).toBe('it is not a WebAssembly module');
    const whole = await assemble(moduleText(answering('go', '1')));
    for (let end = 8; end < whole.length; end += 7)
      expect(await messageOf(startBytes(whole.subarray(0, end))), String(end)).toEqual(expect.any(String));
  });
});
