import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** MiB of the young generation of a program to which 10,000 clients have connected, each with about 20 KiB. */
async function sizeAfter(isBound: boolean): Promise<number> {
  const script = `
    import { getHeapSpaceStatistics } from 'node:v8';
    import { YoungGeneration } from ${JSON.stringify(new URL('young-generation.ts', import.meta.url).href)};
    const memory = new YoungGeneration();
    const clients = [];
    for (let at = 0; at < 10_000; at++) {
      clients.push(Array.from({ length: 400 }, () => ({})));
      ${isBound ? 'memory.connected();' : ''}
    }
    console.log(getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size / 2 ** 20);`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  return Number(stdout);
}

test('clients that stay connected enlarge the young generation to 32 MiB, and no further', async () => {
  expect(await sizeAfter(true)).toBe(32);
  expect(await sizeAfter(false)).toBeGreaterThan(32);
});
