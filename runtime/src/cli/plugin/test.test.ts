import { describe, expect, test } from 'vitest';
import { answering, assemble, echoing, moduleText } from '../../../../test/support/wasm.ts';
import { inDirectory, typed } from '../testing/typed.ts';

const manifest = (provides: string) =>
  `plugin {\n  name    = "geo"\n  version = "1.0.0"\n}\nprovides {\n${provides}\n}\n`;
const functions =
  '  functions {\n    wasm    = "geo.wasm"\n    exports = ["echo", "fixed", "fail", "trap", "loop"]\n  }';
const module = moduleText(
  [
    echoing('echo'),
    answering('fixed', '{"result":{"a":[1,2],"b":"x"}}', 1100),
    answering('fail', '{"error":"no such country"}', 1200),
    '(func (export "trap") (param i32 i32) (result i32) (unreachable))',
    '(func (export "loop") (param i32 i32) (result i32) (loop $on (br $on)) (i32.const 0))',
  ].join('\n'),
);

/** Runs cases in a folder with a plugin. */
async function run(cases: unknown, words: readonly string[] = [], provides = functions, source = module) {
  const files = {
    'plugin.hcl': manifest(provides),
    'geo.wasm': await assemble(source),
    'tests/a.json': typeof cases === 'string' ? cases : JSON.stringify(cases, null, 2),
  };
  return inDirectory(files, (directory) => typed(['plugin', 'test', ...words], directory));
}

describe('svc plugin test', () => {
  test('calls functions as cases say, and reports what differs and where', async () => {
    const { status, out } = await run([
      { name: 'the same', call: 'echo', input: { a: [1, null, 'ä'] }, expect: { a: [1, null, 'ä'] } },
      { name: 'a part', call: 'fixed', expect_has: { result: { b: 'x' } } },
      { name: 'an error', call: 'fail', error: 'no such' },
      { name: 'another value', call: 'fixed', expect: { result: { a: [1, 3], b: 'x' } } },
      { name: 'no error', call: 'echo', error: 'no such' },
      { name: 'an error that is not expected', call: 'fail', expect: {} },
    ]);
    expect(status).toBe(1);
    expect(out.replace(/in \d+ ms/, 'in 0 ms')).toBe(`failed another value  tests/a.json:35:13
  result.result.a[1]  expected at tests/a.json:35:13
    expected  3
    actual    2

failed no error  tests/a.json:48:13
  error  expected at tests/a.json:48:13
    expected  a failure that says "no such"
    actual    {}

failed an error that is not expected  tests/a.json:53:13
  result  expected at tests/a.json:53:13
    expected  {}
    actual    it failed: geo.wasm: fail: no such country

3 failed, 3 passed in 0 ms
`);
  });

  test('S-83: a trap and an endless call fail their case alone, each in an instance of its own', async () => {
    const { status, out } = await run(
      [
        { name: 'traps', call: 'trap', expect: 1 },
        { name: 'loops', call: 'loop', expect: 1 },
        { name: 'loops as expected', call: 'loop', error: 'did not end within its timeout of 1000 ms' },
        ...Array.from({ length: 20 }, (_, at) => ({ name: `echo ${at}`, call: 'echo', input: at, expect: at })),
      ],
      ['--format', 'json'],
    );
    const { summary, tests } = JSON.parse(out);
    expect([status, summary]).toEqual([1, { total: 23, run: 23, passed: 21, failed: 2 }]);
    expect(tests.slice(0, 2).map(({ problems }: { problems: { actual: string }[] }) => problems[0]?.actual)).toEqual([
      expect.stringContaining('unreachable'),
      expect.stringContaining('timeout'),
    ]);
  });

  test('validators answer true and false; connectors begin with their block and the defaults of the manifest', async () => {
    const provides =
      '  validator "zip" {\n    wasm = "geo.wasm"\n  }\n  connector "places" {\n    wasm = "geo.wasm"\n    config {\n      limit = number({ default = 5 })\n      key   = string({ sensitive = true })\n    }\n  }';
    // `init` keeps what it is given where `read` finds it.
    const source = moduleText(`${echoing('init_echo')}
      (func (export "validate_zip") (param i32 i32) (result i32) (i32.gt_u (local.get 1) (i32.const 20)))
      (global $kept (mut i32) (i32.const 0))
      (func (export "init") (param $at i32) (param $length i32) (result i32)
        (i32.store (i32.const 2048) (local.get $length))
        (memory.copy (i32.const 2052) (local.get $at) (local.get $length))
        (i32.store (i32.const 1024) (i32.const 2)) (i32.store16 (i32.const 1028) (i32.const 0x7d7b))
        (i32.const 1024))
      (func (export "read") (param i32 i32) (result i32) (i32.const 2048))`);
    const { status, out } = await run(
      [
        { name: 'long', call: 'validate_zip', input: { value: 'a long value' }, expect: true },
        { name: 'short', call: 'validate_zip', input: { value: 1 }, expect: false },
        { name: 'defaults', call: 'read', expect: { limit: 5 } },
        { name: 'a block', call: 'read', config: { limit: 7, key: 'k' }, expect: { limit: 7, key: 'k' } },
        { name: 'init itself', call: 'init', input: { limit: 1 }, expect: {} },
      ],
      [],
      provides,
      source,
    );
    expect([out.replace(/in \d+ ms/, 'in 0 ms'), status]).toEqual(['5 passed in 0 ms\n', 0]);
  });

  test('--filter runs cases by name or file', async () => {
    const cases = [
      { name: 'One', call: 'echo', input: 1, expect: 1 },
      { name: 'two', call: 'echo', input: 1, expect: 2 },
    ];
    expect(await run(cases, ['--filter', 'one'])).toMatchObject({
      status: 0,
      out: expect.stringMatching(/^1 passed, 1 left out/),
    });
    expect(await run(cases, ['--filter', 'three'])).toMatchObject({
      status: 1,
      error: 'svc plugin: no case of 2 has this in its name or file\n',
    });
  });

  const named = { name: 'a', call: 'echo' };
  test.each<[string, unknown, string]>([
    ['no JSON', '[{', 'tests/a.json is not JSON: '],
    ['no list', {}, 'tests/a.json must hold a list of cases'],
    ['no object', [3], 'tests/a.json: case 1 must be an object'],
    ['no name', [{ call: 'echo', expect: 1 }], 'tests/a.json: case 1 needs "name"'],
    ['an unknown member', [{ ...named, expects: 1 }], 'has no member "expects"; did you mean "expect"?'],
    ['nothing expected', [named], 'says what must come of it with one of "expect", "expect_has" and "error"'],
    ['two things expected', [{ ...named, expect: 1, error: 'x' }], 'with one of'],
    ['an error that is not a text', [{ ...named, error: 3 }], 'needs a text as "error"'],
    ['a block that is not an object', [{ ...named, config: 3, expect: 1 }], 'needs an object as "config"'],
    ['no case', [], 'there is no case in '],
  ])('%s ends with what to correct', async (_, cases, says) => {
    expect(await run(cases)).toMatchObject({ status: 1, out: '', error: expect.stringContaining(says) });
  });

  test('a function that the plugin does not have is named with those that it has', async () => {
    const { out } = await run([{ name: 'a', call: 'ecco', expect: 1 }]);
    expect(out).toContain('ecco is not among what plugin.hcl names: echo, fixed, fail, trap, loop');
  });

  test('folders without a plugin, and manifests with errors', async () => {
    await inDirectory({ 'a/b.txt': '' }, async (directory) => {
      expect(await typed(['plugin', 'test', 'a'], directory)).toMatchObject({
        status: 1,
        error: expect.stringContaining('there is no plugin.hcl in '),
      });
      expect((await typed(['plugin', 'test', 'a', 'b'], directory)).status).toBe(2);
    });
    const wrong = await run(
      [],
      [],
      '  functions {\n    wasm = "../geo.wasm"\n    exports = ["echo"]\n    spede = 1\n  }',
    );
    expect(wrong).toMatchObject({ status: 1, out: '' });
    expect(wrong.error).toContain('has no attribute "spede"');
    expect(wrong.error).toContain('the module ../geo.wasm is not in the folder of the plugin');
  });
});
