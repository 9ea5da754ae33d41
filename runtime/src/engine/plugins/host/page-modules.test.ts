import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { folderWith } from '../../../../../test/support/folder.ts';
import { closePools, startBytes } from '../testing/pool.ts';

afterEach(closePools);

const page = readFileSync(join(import.meta.dirname, '../../../../../docs/modules.md'), 'utf8');

/** The program of the page in a language. */
function shown(language: string): string {
  const [, text] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(page) ?? [];
  if (text === undefined) throw new Error(`docs/modules.md shows no ${language}`);
  return text;
}

interface Compiler {
  readonly language: string;
  readonly file: string;
  readonly program: string;
  /** Words of the command for each target that it may have; the module is named behind them, or behind a `=`. */
  readonly words: readonly (readonly string[])[];
}

const compilers: readonly Compiler[] = [
  {
    language: 'rust',
    file: 'score.rs',
    program: 'rustc',
    words: ['wasm32-unknown-unknown', 'wasm32-wasip1'].map((target) => [
      ...['--edition', '2021', '--target', target, '--crate-type', 'cdylib', '-O', '-o'],
    ]),
  },
  {
    language: 'c',
    file: 'score.c',
    program: process.env['TEST_CLANG'] ?? 'clang',
    words: [['--target=wasm32-wasi', '--sysroot=/usr', '-mexec-model=reactor', '-O1', '-o']],
  },
  {
    language: 'zig',
    file: 'score.zig',
    program: 'zig',
    words: [
      ['build-exe', '-target', 'wasm32-freestanding', '-fno-entry', '-rdynamic', '-O', 'ReleaseSmall', '-femit-bin='],
    ],
  },
  {
    language: 'go',
    file: 'score.go',
    program: 'tinygo',
    words: [['build', '-target=wasip1', '-buildmode=c-shared', '-o']],
  },
];

/** The bytes of the module, or why they cannot be made here. */
function compiled({ language, file, program, words }: Compiler): Buffer | string {
  const folder = folderWith();
  writeFileSync(join(folder, file), shown(language));
  const to = join(folder, 'score.wasm');
  let problem = '';
  for (const own of words) {
    const last = own.at(-1) as string;
    const output = last.endsWith('=') ? [`${last}${to}`] : [last, to];
    const { status, error, stderr } = spawnSync(program, [...own.slice(0, -1), ...output, join(folder, file)], {
      encoding: 'utf8',
    });
    if (status === 0) return readFileSync(to);
    problem ||= error?.message ?? stderr;
  }
  return problem;
}

for (const compiler of compilers) {
  const bytes = compiled(compiler);
  if (typeof bytes === 'string')
    console.warn(`SKIP  a module of ${compiler.language}: ${compiler.program} cannot compile it: ${bytes}`);
  test.skipIf(typeof bytes === 'string')(`S-83: the module of the page in ${compiler.language} works`, async () => {
    const { pool, seen } = await startBytes(bytes as Buffer);
    for (let round = 0; round < 500; round++)
      expect(await pool.call('score', 'json', JSON.stringify('x'.repeat(round)))).toEqual({ result: round + 2 });
    expect(seen.rebuilt).toBe(0);
  });
}
