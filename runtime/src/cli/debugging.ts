import { systemClock } from '../foundation/observe/clock.ts';
import type { PrimaryDebugging } from '../service/cluster/primary.ts';
import { type AccessRules, notServed } from '../service/debug/connection/access.ts';
import { DebugEntryPoint } from '../service/debug/connection/entry-point.ts';
import { makeToken, writeTokenFile } from '../service/debug/connection/token.ts';
import type { Surroundings } from './surroundings.ts';

/** The debugger of `svc start`, and what it leaves on the disk while the service runs. */
export interface Debugging extends TokenFile {
  /** Undefined where no one may debug: `/debug` is not served then. */
  readonly entryPoint: DebugEntryPoint | undefined;
}

interface TokenFile {
  /** Called when the service listens: writes a token that was made where its owner finds it, and says where. */
  readonly announce: (port: number) => Promise<void>;
  readonly stop: () => Promise<void>;
}

const none: Debugging = { entryPoint: undefined, announce: async () => undefined, stop: async () => undefined };

export function debuggingOf(surroundings: Surroundings): Debugging {
  if (!surroundings.options.debug.enabled) return none;
  const access = accessOf(surroundings);
  return { entryPoint: entryPointOf(surroundings, access), ...tokenFile(access.token, surroundings) };
}

/** The same where several processes serve: this one lets clients in, and the workers answer them. */
export async function primaryDebuggingOf(surroundings: Surroundings): Promise<PrimaryDebugging | undefined> {
  if (!surroundings.options.debug.enabled) return undefined;
  const [{ Entrance }, { DebugRelay }] = await Promise.all([
    import('../service/debug/connection/entrance.ts'),
    import('../service/cluster/debug-relay.ts'),
  ]);
  const access = accessOf(surroundings);
  const relay = new DebugRelay();
  const entrance = new Entrance({ access, log: surroundings.log, answering: async () => relay });
  return { entrance, follower: relay, ...tokenFile(access.token, surroundings) };
}

/** The debugger of one of several processes, which only the first process reaches. */
export function workerEntryPointOf(surroundings: Surroundings, worker: number): DebugEntryPoint | undefined {
  return surroundings.options.debug.enabled ? entryPointOf(surroundings, notServed, worker) : undefined;
}

/** Decides who may debug. */
function accessOf({ options: { debug, group } }: Surroundings): AccessRules {
  const { enabled, token = makeToken(), origin } = debug;
  return { enabled, trustsLoopback: group === 'development', token, origin };
}

function entryPointOf(
  { options, variables, log, outbox }: Surroundings,
  access: AccessRules,
  worker?: number,
): DebugEntryPoint {
  const { debug, group } = options;
  const { maxPause, suspend } = debug;
  return new DebugEntryPoint({
    access,
    clock: systemClock,
    log,
    variables,
    masksNames: group !== 'development',
    maxPause,
    worker,
    suspend,
    outbox,
  });
}

function tokenFile(token: string, { options, log }: Surroundings): TokenFile {
  let file: Awaited<ReturnType<typeof writeTokenFile>> | undefined;
  return {
    announce: async (port) => {
      if (options.debug.token !== undefined) return;
      try {
        file = await writeTokenFile(token, port);
        log.debug('debug token for peers beyond this machine', { file: file.path });
      } catch (error) {
        log.warn('the debug token could not be written: only this machine can debug', { error });
      }
    },
    stop: async () => {
      await file?.remove();
    },
  };
}
