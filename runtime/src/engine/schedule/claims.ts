import type { RuntimeTables } from '../../foundation/contracts/sql.ts';
import type { Storage } from '../../foundation/contracts/storage.ts';
import type { Execute, Target } from '../../foundation/contracts/target.ts';
import type { Clock } from '../../foundation/observe/clock.ts';
import { escapeKey } from '../../platform/formats/key-text.ts';

/** How long a claim is kept, in milliseconds: longer than the clocks of processes differ. */
const remembered = 24 * 3_600_000;
/** How often old claims are removed from a table, in milliseconds. */
const pruneEvery = 600_000;

/** Where processes agree on which of them runs a tick: the first to claim it. */
export interface Claims {
  /** The connector. */
  readonly name: string;
  /** Prepares the storage of the claims; called once, before the first claim. */
  prepare(): Promise<void>;
  /** Whether this process got the tick. Rejects when that cannot be determined; the tick must not run then. */
  claim(flow: string, tick: number): Promise<boolean>;
}

/** Claims as entries of a cache that all processes share, each expires after a day. */
export function cacheClaims(name: string, storage: Storage, service: string): Claims {
  const prefix = `svc:schedule:${escapeKey(service)}:`;
  return {
    name,
    prepare: async () => undefined,
    claim: async (flow, tick) => storage.setIfAbsent(`${prefix}${escapeKey(flow)}:${tick}`, '1', remembered),
  };
}

const table = 'svc_schedule_ticks';
const deleteTicks = `DELETE FROM ${table} WHERE service = :service AND tick < :before`;

/**
 * Claims as rows of the table `svc_schedule_ticks`, which is created when it is missing; rows older than a day are
 * deleted.
 */
export function tableClaims(
  name: string,
  target: Target,
  tables: RuntimeTables,
  service: string,
  clock: Clock,
): Claims {
  const columns = [`service ${tables.name} NOT NULL`, `flow ${tables.name} NOT NULL`, 'tick BIGINT NOT NULL'];
  const created = tables.make(table, [...columns, 'PRIMARY KEY (service, flow, tick)']);
  const prepared = (query: string): Execute =>
    target.prepare({
      verb: 'create',
      operation: undefined,
      target: undefined,
      query,
      timeout: 10_000,
      exact: false,
      flow: 'schedules',
      label: table,
    });
  const insert = prepared(tables.insertOnce(table, ['service', 'flow', 'tick']));
  const remove = prepared(deleteTicks);
  let pruned: number | undefined;
  const prune = async (now: number) => {
    if (pruned !== undefined && now - pruned < pruneEvery) return;
    pruned = now;
    await remove({ params: { service, before: now - remembered } });
  };
  return {
    name,
    prepare: async () => {
      for (const statement of created) await createdOnce(prepared(statement), clock);
    },
    claim: async (flow, tick) => {
      const { affected } = await insert({ params: { service, flow, tick } });
      // Rows that stay a little longer do no harm: the next removal follows soon.
      void prune(clock.now()).catch(() => undefined);
      return affected === 1;
    },
  };
}

/** When several processes create a table at the same moment, the database may refuse all but one. */
async function createdOnce(create: Execute, clock: Clock): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await create({});
      return;
    } catch (error) {
      if (attempt === 3) throw error;
      await clock.sleep(100 * attempt);
    }
  }
}
