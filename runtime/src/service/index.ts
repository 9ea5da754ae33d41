import type { CelEngine } from '@svc/protocol/cel';
import type { Project } from '@svc/protocol/model';
import { type Clock, systemClock } from '../foundation/observe/clock.ts';
import type { Log } from '../foundation/observe/log.ts';
import { productVersion } from '../foundation/version.ts';
import { HttpListener } from '../platform/http/sockets/listener.ts';
import { environmentGroup } from './config/environment.ts';
import { notServed } from './debug/connection/access.ts';
import { DebugEntryPoint, standardMaxPause } from './debug/connection/entry-point.ts';
import { loadService } from './running/load.ts';
import { createService, type Service } from './running/service.ts';

export interface EmbedOptions {
  /** Absolute path of the configuration directory. */
  readonly directory: string;
  readonly log: Log;
  /** Default: the clock of the machine. */
  readonly clock?: Clock;
  /** Default: `development`. */
  readonly environment?: string;
  /** Variables that the configuration reads. Default: those of the process. */
  readonly variables?: Readonly<Record<string, string | undefined>>;
}

/**
 * Makes a service of a directory inside this process; `start()` runs it and `stop()` ends it. Signals are left
 * alone, and only this process can debug it.
 */
export function serviceOf({ directory, log, clock = systemClock, ...options }: EmbedOptions): Service {
  const { environment = 'development', variables = process.env } = options;
  const group = environmentGroup(environment);
  const load = { environment: variables, workingDirectory: directory, workers: 1 };
  const compile = async (project: Project, engine: CelEngine) =>
    (await import('../engine/plan/compile.ts')).compilePlan(project, { engine });
  return createService({
    load: () => loadService(directory, load, group, compile),
    createListener: (connectors, application, cut) => new HttpListener(connectors, application, { cut }),
    log,
    clock,
    environment,
    production: group === 'production',
    directory,
    productVersion,
    debug: new DebugEntryPoint({
      access: notServed,
      clock,
      log,
      variables,
      masksNames: group !== 'development',
      maxPause: standardMaxPause,
    }),
  });
}

export type { Clock, Log, Service };
