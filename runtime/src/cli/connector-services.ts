import type { ConnectorServices } from '../foundation/contracts/connector.ts';
import { Failure } from '../foundation/errors/failure.ts';
import { systemClock } from '../foundation/observe/clock.ts';
import { createLog } from '../foundation/observe/logger.ts';
import { productVersion } from '../foundation/version.ts';
import type { Streams } from './command.ts';

/** What connectors are given by commands that use one without a service around it. Warnings go to standard error. */
export function withoutService(directory: string, { error }: Streams): ConnectorServices {
  return {
    log: createLog({
      level: 'warn',
      format: 'text',
      clock: systemClock,
      destination: { write: (line) => error.write(line), flush: () => undefined },
    }),
    clock: systemClock,
    environment: 'development',
    production: false,
    directory,
    // Nothing is kept for it.
    service: '',
    userAgent: `svc/${productVersion}`,
    lookup: () => () => {
      throw new Failure('internal', 'a connector outside of a service asks no other');
    },
    storage: () => {
      throw new Failure('internal', 'a connector outside of a service keeps nothing in another');
    },
  };
}
