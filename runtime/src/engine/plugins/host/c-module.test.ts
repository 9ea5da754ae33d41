import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { folderWith } from '../../../../../test/support/folder.ts';
import { closePools, startBytes } from '../testing/pool.ts';

afterEach(closePools);

const source = `#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

__attribute__((export_name("malloc"))) void *give(size_t size) { return malloc(size); }
__attribute__((export_name("free"))) void take(void *at, size_t size) { free(at); }

/* The text it is given, in brackets, and whether the clock works and no file can be opened. */
__attribute__((export_name("go"))) long long go(char *text, int length) {
  char *made = malloc(length + 64);
  FILE *file = fopen("/etc/passwd", "r");
  int size = sprintf(made, "[%.*s,%d,%d]", length, text, time(NULL) > 0, file == NULL);
  puts("done");
  fflush(stdout);
  return ((long long)(size_t)made << 32) | size;
}
`;

/** The bytes of the module, or why they cannot be made here. */
function compiled(): Buffer | string {
  const folder = folderWith();
  const [from, to] = [join(folder, 'm.c'), join(folder, 'm.wasm')];
  writeFileSync(from, source);
  const flags = ['--target=wasm32-wasi', '--sysroot=/usr', '-mexec-model=reactor', '-O1', '-o', to, from];
  const { status, error, stderr } = spawnSync(process.env['TEST_CLANG'] ?? 'clang', flags, { encoding: 'utf8' });
  return status === 0 ? readFileSync(to) : (error?.message ?? stderr);
}

const bytes = compiled();
if (typeof bytes === 'string') console.warn(`SKIP  a module of C: clang with wasi-libc cannot compile it: ${bytes}`);

test.skipIf(typeof bytes === 'string')(
  'S-83: a module of C with its library has a clock and output, and no file',
  async () => {
    const { pool, seen } = await startBytes(bytes as Buffer);
    for (let round = 0; round < 50; round++) expect(await pool.call('go', 'json', '"a"')).toEqual(['a', 1, 1]);
    expect([seen.printed.slice(0, 2), seen.rebuilt]).toEqual([['done', 'done'], 0]);
  },
);
