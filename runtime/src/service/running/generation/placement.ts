import { runsInOneWorker } from '@svc/protocol/schema';
import type { PlannedConnector } from '../../../foundation/contracts/plan.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import { errorText } from '../../../foundation/observe/mask.ts';

/** A connector that exists once in the service, however many processes it has (`placement` of its source's spec). */
export function runsOnce({ declaration }: PlannedConnector): boolean {
  const source = declaration.spec?.source;
  return source !== undefined && runsInOneWorker(source, declaration.values);
}

/** A generation as far as its connectors are moved. */
interface Placed {
  readonly connectors: ReadonlyMap<string, { readonly planned: PlannedConnector }>;
  /** Stops and closes a connector that no longer runs in this process. */
  end(name: string): Promise<void>;
}

/** Which of the connectors that run in one process of the service run in this one. The primary process decides. */
export class Placement {
  #here = new Set<string>();

  /** Whether this process opens the connector. */
  isHere(planned: PlannedConnector): boolean {
    return !runsOnce(planned) || this.#here.has(planned.name);
  }

  /**
   * From now on exactly these run here, including those that no configuration has yet. Ends the others of the
   * generation, and starts those that are new with `begin`. Returns the reasons of those that could not start: another
   * process may try.
   */
  async move(
    connectors: readonly string[],
    generation: Placed,
    log: Log,
    begin: (connector: string) => Promise<void>,
  ): Promise<Readonly<Record<string, string>>> {
    const before = this.#here;
    const here = new Set(connectors);
    this.#here = here;
    const failed: Record<string, string> = {};
    for (const [name, { planned }] of generation.connectors) {
      if (!runsOnce(planned) || before.has(name) === here.has(name)) continue;
      try {
        await (here.has(name) ? begin(name) : generation.end(name));
      } catch (error) {
        log.error('a connector could not be moved', {
          connector: name,
          to: here.has(name) ? 'here' : 'elsewhere',
          error,
        });
        if (here.delete(name)) failed[name] = errorText(error);
      }
    }
    return failed;
  }
}
