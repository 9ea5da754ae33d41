import { assemble } from '../../../../../test/support/wasm.ts';
import { ModulePool, type ModuleSettings } from '../host/module-pool.ts';
import { prepareModule } from '../host/prepare.ts';
import type { Abi } from '../module/entries.ts';

const pools: ModulePool[] = [];

/** Ends what was started; for `afterEach`. */
export async function closePools(): Promise<void> {
  await Promise.all(pools.splice(0).map((pool) => pool.close(AbortSignal.abort())));
}

type Over = Partial<ModuleSettings['limits']> & { readonly abi?: Abi; readonly initial?: ModuleSettings['initial'] };

/** A module that is written as text, started, and what was seen of it. */
export async function startPool(source: string, over: Over = {}) {
  return startBytes(await assemble(source), over);
}

export async function startBytes(bytes: Uint8Array, { abi = 'length-prefixed', initial, ...over }: Over = {}) {
  const limits = { timeout: 2_000, max_memory_mb: 4, max_bytes: 100_000, instances: 1, ...over };
  const module = await prepareModule(bytes, abi, limits.max_memory_mb);
  const seen = { ended: 0, rebuilt: 0, printed: [] as string[], left: 0 };
  const pool = new ModulePool(module, {
    title: 'test.wasm',
    limits,
    initial,
    observer: {
      called: () => undefined,
      ended: () => void seen.ended++,
      rebuilt: (times) => {
        seen.rebuilt += times;
      },
      printed: (lines, left) => {
        seen.printed.push(...lines);
        seen.left += left;
      },
    },
  });
  pools.push(pool);
  await pool.open();
  return { pool, seen };
}
