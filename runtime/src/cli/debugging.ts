import { DebugDoor } from '../debug/door.ts';
import { makeToken, writeTokenFile } from '../debug/token.ts';
import { systemClock } from '../observe/clock.ts';
import type { Surroundings } from './surroundings.ts';

/** The debugger of `svc start`, and what it leaves on the disk while the service runs. */
export interface Debugging {
  /** Undefined where nobody may debug: there is no `/debug` then. */
  readonly door: DebugDoor | undefined;
  /** Called when the service listens: writes a token that was made where its owner finds it, and says where. */
  readonly announce: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

const none: Debugging = { door: undefined, announce: async () => undefined, stop: async () => undefined };

/** Decides who may debug (decisions 30 and 31). */
export function debuggingOf({ options, variables, log }: Surroundings): Debugging {
  const { group } = options;
  const { enabled, token: given, origin, maxPause } = options.debug;
  if (!enabled) return none;
  const isDevelopment = group === 'development';
  const token = given ?? makeToken();
  const door = new DebugDoor({
    access: { enabled, trustsLoopback: isDevelopment, token, origin },
    clock: systemClock,
    log,
    variables,
    masksNames: !isDevelopment,
    maxPause,
  });
  let file: Awaited<ReturnType<typeof writeTokenFile>> | undefined;
  return {
    door,
    announce: async () => {
      if (given !== undefined) return;
      try {
        file = await writeTokenFile(token);
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
