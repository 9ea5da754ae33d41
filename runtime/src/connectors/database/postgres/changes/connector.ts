import type { Factory } from '../../../../foundation/contracts/connector.ts';
import { ConnectedSource } from '../../../intake/broker/connected.ts';
import { ChangeDriver } from './driver.ts';
import type { cdc } from './spec.ts';

/** Between two attempts to connect again. */
const backoff = { kind: 'exponential', delay: 1000, maxDelay: 30_000, jitter: true } as const;

/** Takes the changes of tables over a replication slot, which no other connection can use at the same time. */
export const create: Factory<typeof cdc> = (name, config, services) =>
  new ConnectedSource(
    name,
    new ChangeDriver(name, config, services),
    { backoff, mostAttempts: Number.POSITIVE_INFINITY },
    services,
  );
