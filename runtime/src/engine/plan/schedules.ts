import type { Project } from '@svc/protocol/model';
import type { Values } from '@svc/protocol/schema';
import { dialectOf } from '../../connectors/database/engines.ts';
import type { Connector } from '../../foundation/contracts/connector.ts';
import type { PlanServices, RunFlow } from '../../foundation/contracts/plan.ts';
import type { flow as flowSpec } from '../flow/spec.ts';
import { type Claims, cacheClaims, tableClaims } from '../schedule/claims.ts';
import { parseSchedule } from '../schedule/cron.ts';
import type { ScheduledFlow } from '../schedule/runner.ts';
import { timetableOf } from '../schedule/timetable.ts';
import { serviceNameOf } from './service-name.ts';

/** What claims of a generation are made from. */
export interface ClaimTools {
  readonly project: Project;
  readonly connectors: ReadonlyMap<string, Connector>;
  readonly services: PlanServices;
}

/** Makes the claims of each store once. */
export class ClaimStores {
  readonly #tools: ClaimTools;
  readonly #made = new Map<string, Claims>();

  constructor(tools: ClaimTools) {
    this.#tools = tools;
  }

  of(store: string): Claims {
    let claims = this.#made.get(store);
    if (claims === undefined) this.#made.set(store, (claims = this.#make(store)));
    return claims;
  }

  #make(store: string): Claims {
    const { project, connectors, services } = this.#tools;
    const service = serviceNameOf(project);
    const made = connectors.get(store);
    if (made?.storage !== undefined) return cacheClaims(store, made.storage, service);
    const dialect = dialectOf(project.connectors.get(store)?.spec);
    if (made?.target !== undefined && dialect !== undefined)
      return tableClaims(store, made.target, dialect.runtimeTables, service, services.clock);
    throw new Error(`connector "${store}" cannot hold claims`);
  }
}

/** The schedule of a flow; undefined when it has no schedule, or one that never comes. */
export function scheduledFlow(
  flow: string,
  { when }: Values<typeof flowSpec>,
  stores: ClaimStores,
  run: RunFlow,
): ScheduledFlow | undefined {
  const schedule = parseSchedule(when?.schedule ?? '');
  if (when === undefined || 'problem' in schedule) return undefined;
  const timetable = timetableOf(schedule, when.timezone, when.storage !== undefined);
  if (timetable === undefined) return undefined;
  const claims = when.storage === undefined ? undefined : stores.of(when.storage);
  return { flow, schedule: when.schedule ?? '', timetable, overlap: when.overlap, claims, run };
}
