import type { Storage } from '../contracts/storage.ts';
import type { Execute, Target } from '../contracts/target.ts';
import { escapeKey } from '../flow/template.ts';
import type { Clock } from '../observe/clock.ts';

/** How long a claim is remembered, in milliseconds: longer than clocks of processes are apart. */
const remembered = 24 * 3_600_000;
/** How often old claims are removed from a table, in milliseconds. */
const pruneEvery = 600_000;

/** Where processes agree on who runs a tick: whoever claims it first. */
export interface Claims {
  /** The connector. */
  readonly name: string;
  /** Makes ready what claims are kept in; called once before the first. */
  prepare(): Promise<void>;
  /** Whether this process got the tick. Rejects when that cannot be told; the tick must not run then. */
  claim(flow: string, tick: number): Promise<boolean>;
}

/** Claims as entries of a cache that all processes share, each gone after a day. */
export function cacheClaims(name: string, storage: Storage, service: string): Claims {
  const prefix = `svc:schedule:${escapeKey(service)}:`;
  return {
    name,
    prepare: async () => undefined,
    claim: async (flow, tick) => storage.setIfAbsent(`${prefix}${escapeKey(flow)}:${tick}`, '1', remembered),
  };
}

const createTable = `CREATE TABLE IF NOT EXISTS svc_schedule_ticks (
  service TEXT NOT NULL,
  flow TEXT NOT NULL,
  tick BIGINT NOT NULL,
  PRIMARY KEY (service, flow, tick)
)`;
const insertTick =
  'INSERT INTO svc_schedule_ticks (service, flow, tick) VALUES (:service, :flow, :tick) ON CONFLICT DO NOTHING';
const deleteTicks = 'DELETE FROM svc_schedule_ticks WHERE service = :service AND tick < :before';

/** Claims as rows of the table `svc_schedule_ticks`, which is created when it is not there; those of a day ago go. */
export function tableClaims(name: string, target: Target, service: string, clock: Clock): Claims {
  const prepared = (query: string): Execute =>
    target.prepare({
      verb: 'create',
      operation: undefined,
      target: undefined,
      query,
      format: undefined,
      envelope: undefined,
      timeout: 10_000,
      exact: false,
      flow: 'schedules',
      label: 'svc_schedule_ticks',
    });
  const [create, insert, remove] = [createTable, insertTick, deleteTicks].map(prepared) as [Execute, Execute, Execute];
  let pruned: number | undefined;
  const prune = async (now: number) => {
    if (pruned !== undefined && now - pruned < pruneEvery) return;
    pruned = now;
    await remove({ params: { service, before: now - remembered } });
  };
  return {
    name,
    prepare: () => createdOnce(create, clock),
    claim: async (flow, tick) => {
      const { affected } = await insert({ params: { service, flow, tick } });
      // Rows that stay a little longer do no harm, and the next time is not far.
      void prune(clock.now()).catch(() => undefined);
      return affected === 1;
    },
  };
}

/** Of processes that create a table at the same moment the database may refuse all but one. */
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
