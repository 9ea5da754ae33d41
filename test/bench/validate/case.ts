import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { program } from '../../support/service.ts';
import type { Benchmark } from '../benchmark.ts';
import { median } from '../load.ts';
import { generate } from './generate.ts';

/** Files of a configuration, and the milliseconds that checking it may take, the start of Node included. */
const floors = new Map([
  [50, 220],
  [1_000, 450],
  [2_000, undefined],
]);
const growth = 2.3;
const runs = 5;

export const validate: Benchmark = {
  name: 'validate',
  title: 'P-13 svc validate on 50, 1,000 and 2,000 files',
  async run() {
    const times = new Map<number, number>();
    const node = median(Array.from({ length: runs }, () => timed(['-e', '0'])));
    for (const files of floors.keys()) {
      const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
      generate(folder, files);
      const samples = Array.from({ length: runs + 1 }, () => timed([program, 'validate', '-c', folder]));
      // The first run fills the cache of compiled code.
      times.set(files, median(samples.slice(1)));
      rmSync(folder, { recursive: true });
    }
    const linear = times.get(2_000)! / times.get(1_000)!;
    return [...floors].map(([files, floor]) => ({
      name: `P-13 ${files.toLocaleString('en')} files`,
      ours: `${Math.round(times.get(files)!)} ms`,
      beside: `node -e 0: ${Math.round(node)} ms`,
      ratio: floor === undefined ? `${linear.toFixed(2)}x of 1,000` : `${(times.get(files)! / node).toFixed(1)}x`,
      floor: floor === undefined ? `${growth}x` : `${floor} ms`,
      holds: floor === undefined ? linear <= growth : times.get(files)! <= floor,
    }));
  },
};

/** Milliseconds that a run of Node takes. Throws with its messages when it fails. */
function timed(args: string[]): number {
  const began = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}\n${(stdout + stderr).slice(0, 2_000)}`);
  return performance.now() - began;
}
