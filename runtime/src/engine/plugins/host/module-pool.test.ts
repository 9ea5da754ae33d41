import { afterEach, describe, expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { answering, echoing, moduleText } from '../../../../../test/support/wasm.ts';
import { closePools, startPool } from '../testing/pool.ts';

afterEach(closePools);

const text = (name: string, result: string, type: string) =>
  String.raw`(data (i32.const 1024) "{\22result\22:7}\00") (func (export "${name}") (param i32 i32) (result ${type}) ${result})`;

describe('the forms of a result', () => {
  test.each([
    ['a length before the text', answering('go', '{"result":7}'), 'length-prefixed'],
    ['a NUL behind the text', text('go', '(i32.const 1024)', 'i32'), 'nul-terminated'],
    ['an i64 of address and length', text('go', '(i64.const 0x400_0000_000c)', 'i64'), 'length-prefixed'],
    ['address and length', text('go', '(i32.const 1024) (i32.const 12)', 'i32 i32'), 'length-prefixed'],
  ] as const)('%s', async (_, body, abi) => {
    const { pool } = await startPool(moduleText(body), { abi });
    expect(await pool.call('go', 'json', '{}')).toEqual({ result: 7 });
  });

  test('1 and 0 of a check, and nothing else', async () => {
    const { pool } = await startPool(
      moduleText('(func (export "go") (param i32 i32) (result i32) (i32.sub (local.get 1) (i32.const 2)))'),
    );
    const outcomes = ['{}', '{ }', '{  }'].map((input) =>
      pool.call('go', 'flag', input).catch((error) => error.message),
    );
    expect(await Promise.all(outcomes)).toEqual([
      false,
      true,
      'test.wasm: go: it gives 2 where 1 means valid and 0 means invalid',
    ]);
  });

  test('a function of another form is refused before it is called', async () => {
    const { pool } = await startPool(moduleText('(func (export "go") (param i64) (result i32) (i32.const 0))'));
    expect(() => pool.call('go', 'json', '{}')).toThrow(
      'its export go is (i64) -> i32, and should be (i32, i32) -> i32, -> i64 or -> (i32, i32)',
    );
    expect(() => pool.call('nothing', 'json', '{}')).toThrow(
      'it does not export the function "nothing"; it exports alloc, free, go',
    );
  });
});

describe('calls', () => {
  test('of many callers have their own answers, small and large ones in turn', async () => {
    const { pool, seen } = await startPool(moduleText(echoing('go')), { max_bytes: 1_000_000, max_memory_mb: 16 });
    const inputs = Array.from({ length: 300 }, (_, at) => ({ at, fill: 'x'.repeat(at % 50 === 0 ? 400_000 : at) }));
    const answers = await Promise.all(inputs.map((input) => pool.call('go', 'json', JSON.stringify(input))));
    expect(answers).toEqual(inputs);
    expect([seen.rebuilt, pool.counts]).toEqual([
      0,
      { calls: 300, failed: 0, ended: 0, rebuilt: 0, threads: 1, waiting: 0 },
    ]);
  });

  test('that wait make further instances, up to as many as there may be', async () => {
    const { pool } = await startPool(moduleText(echoing('go')), { instances: 3 });
    await Promise.all(Array.from({ length: 500 }, (_, at) => pool.call('go', 'json', `[${at}]`)));
    await until(() => pool.counts.threads > 1);
    await Promise.all(Array.from({ length: 500 }, (_, at) => pool.call('go', 'json', `[${at}]`)));
    expect(pool.counts.threads).toBeLessThanOrEqual(3);
  });

  test('S-83: beside endless ones are all answered, however many instances there are', async () => {
    const { pool, seen } = await startPool(
      moduleText(
        `${echoing('go')} (func (export "stop") (param i32 i32) (result i32) (loop $on (br $on)) (i32.const 0))`,
      ),
      { instances: 3, timeout: 300 },
    );
    const asked = Array.from({ length: 300 }, (_, at) => (at % 60 === 7 ? 'stop' : 'go'));
    const answers = await Promise.all(
      asked.map((entry, at) => pool.call(entry, 'json', `[${at}]`).catch((error) => error.code)),
    );
    expect(answers).toEqual(asked.map((entry, at) => (entry === 'stop' ? 'connector_timeout' : [at])));
    expect([seen.ended, pool.counts.ended, pool.counts.waiting]).toEqual([5, 5, 0]);
    await until(() => pool.counts.threads <= 3);
  });

  test('whose answers are larger together than the memory that is shared come back whole', async () => {
    const { pool } = await startPool(moduleText(answering('go', JSON.stringify('y'.repeat(60_000)), 66_000)), {
      max_bytes: 100_000,
    });
    const answers = await Promise.all(Array.from({ length: 40 }, () => pool.call('go', 'json', '{}')));
    expect(answers.map((answer) => (answer as string).length)).toEqual(answers.map(() => 60_000));
  });

  test('beyond max_bytes are refused without the module', async () => {
    const { pool } = await startPool(moduleText(echoing('go')), { max_bytes: 100 });
    await expect(pool.call('go', 'json', JSON.stringify('x'.repeat(99)))).rejects.toThrow(
      'test.wasm: go: the input has 101 bytes, more than max_bytes (100)',
    );
    expect(await pool.call('go', 'json', JSON.stringify('x'.repeat(98)))).toHaveLength(98);
  });

  test('under way are answered before the module is closed, and later ones are refused', async () => {
    const { pool } = await startPool(moduleText(echoing('go')));
    const running = pool.call('go', 'json', '1');
    await pool.close();
    expect(await running).toBe(1);
    await expect(pool.call('go', 'json', '1')).rejects.toMatchObject({ code: 'cancelled' });
    expect(pool.counts.threads).toBe(0);
  });

  test('that never end are given up when the service is cut off', async () => {
    const { pool } = await startPool(
      moduleText('(func (export "go") (param i32 i32) (result i32) (loop $on (br $on)) (i32.const 0))'),
      { timeout: 600_000 },
    );
    const running = pool.call('go', 'json', '1').catch((error) => error.code);
    const cut = new AbortController();
    const closed = pool.close(cut.signal);
    cut.abort();
    await closed;
    expect([await running, pool.counts.threads]).toEqual(['cancelled', 0]);
  });
});

describe('what a module is given', () => {
  const wasi = 'wasi_snapshot_preview1';

  test('S-83: clocks and random bytes, and no file', async () => {
    const imports = `(import "${wasi}" "clock_time_get" (func $clock (param i32 i64 i32) (result i32)))
      (import "${wasi}" "random_get" (func $random (param i32 i32) (result i32)))
      (import "${wasi}" "path_open" (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
      (import "${wasi}" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))`;
    // The answer of a function of WASI as three digits, and whether it wrote something, as a list.
    const errno = (name: string, call: string) => `(func (export "${name}") (param i32 i32) (result i32)
      (local $code i32)
      (i64.store (i32.const 2000) (i64.const 0))
      (local.set $code ${call})
      (i32.store (i32.const 1024) (i32.const 6))
      (i32.store8 (i32.const 1028) (i32.const 91))
      (i32.store8 (i32.const 1029) (i32.add (i32.const 49) (i32.div_u (local.get $code) (i32.const 10))))
      (i32.store8 (i32.const 1030) (i32.add (i32.const 48) (i32.rem_u (local.get $code) (i32.const 10))))
      (i32.store8 (i32.const 1031) (i32.const 44))
      (i32.store8 (i32.const 1032) (i32.add (i32.const 48) (i64.ne (i64.load (i32.const 2000)) (i64.const 0))))
      (i32.store8 (i32.const 1033) (i32.const 93))
      (i32.const 1024))`;
    const place = '(i32.const 2000)';
    const { pool } = await startPool(
      moduleText(
        [
          errno('clock', `(call $clock (i32.const 1) (i64.const 0) ${place})`),
          errno('wall', `(call $clock (i32.const 0) (i64.const 0) ${place})`),
          errno('behind', '(call $clock (i32.const 0) (i64.const 0) (i32.const -1))'),
          errno('random', `(call $random ${place} (i32.const 8))`),
          errno('flood', '(call $random (i32.const 0) (i32.const -1))'),
          errno(
            'open',
            `(call $open (i32.const 3) (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 0) (i64.const 0) (i64.const 0) (i32.const 0) ${place})`,
          ),
          errno('read', `(call $read (i32.const 0) ${place} (i32.const 1) (i32.const 2100))`),
        ].join('\n'),
        { imports },
      ),
    );
    const names = ['clock', 'wall', 'behind', 'random', 'flood', 'open', 'read'];
    const answers = await Promise.all(names.map((name) => pool.call(name, 'json', '{}')));
    // 10 and the number of the error: 8 is EBADF, 21 EFAULT, 28 EINVAL.
    expect(Object.fromEntries(names.map((name, at) => [name, answers[at]]))).toEqual({
      clock: [10, 1],
      wall: [10, 1],
      behind: [31, 0],
      random: [10, 1],
      flood: [38, 0],
      open: [18, 0],
      read: [18, 0],
    });
  });

  test('output, which is logged line by line and bounded', async () => {
    const imports = `(import "${wasi}" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))`;
    const { pool, seen } = await startPool(
      moduleText(
        String.raw`(data (i32.const 1024) "one\0atwo\0a") (data (i32.const 1040) "\00\04\00\00\08\00\00\00")
        (func (export "go") (param i32 i32) (result i32)
          (local $left i32)
          (local.set $left (i32.const 60))
          (loop $on
            (drop (call $write (i32.const 1) (i32.const 1040) (i32.const 1) (i32.const 2000)))
            (local.set $left (i32.sub (local.get $left) (i32.const 1)))
            (br_if $on (local.get $left)))
          (i32.const 3000))
        (data (i32.const 3000) "\01\00\00\001")`,
        { imports },
      ),
    );
    expect(await pool.call('go', 'json', '{}')).toBe(1);
    expect([seen.printed.length, seen.printed.slice(0, 3), seen.left]).toEqual([100, ['one', 'two', 'one'], 10]);
  });

  test('the reason of env.abort is the failure', async () => {
    const { pool, seen } = await startPool(
      moduleText(
        String.raw`(data (i32.const 1020) "\04\00\00\00n\00o\00")
        (func (export "go") (param i32 i32) (result i32)
          (call $abort (i32.const 1024) (i32.const 0) (i32.const 0) (i32.const 0)) (i32.const 0))`,
        { imports: '(import "env" "abort" (func $abort (param i32 i32 i32 i32)))' },
      ),
    );
    await expect(pool.call('go', 'json', '{}')).rejects.toThrow('test.wasm: go: abort: no');
    expect(seen.rebuilt).toBe(1);
  });
});

test('a module without work takes no time of the processor', async () => {
  const { pool } = await startPool(moduleText(echoing('go')));
  await pool.call('go', 'json', '1');
  const before = process.cpuUsage();
  const began = performance.now();
  let turns = 0;
  await until(() => ++turns > 3 && performance.now() - began > 300);
  const used = process.cpuUsage(before);
  expect((used.user + used.system) / 1000).toBeLessThan((performance.now() - began) / 2);
});
