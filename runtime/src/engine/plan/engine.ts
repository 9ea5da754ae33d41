import { createHash, randomUUID } from 'node:crypto';
import { type CelEngine, createCelEngine } from '@svc/protocol/cel';
import { type Clock, systemClock } from '../../foundation/observe/clock.ts';

/** The expression engine of a service on this machine. `env` answers what `env()` reads. */
export function createExpressionEngine(
  env: (name: string) => string | undefined = (name) => process.env[name],
  clock: Clock = systemClock,
  uuid: () => string = randomUUID,
): CelEngine {
  return createCelEngine({
    environment: {
      now: () => clock.now(),
      uuid,
      env,
      sha256: (text) => createHash('sha256').update(text).digest('hex'),
    },
  });
}
