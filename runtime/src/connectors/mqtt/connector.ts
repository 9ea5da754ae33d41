import type { Factory } from '../../contracts/connector.ts';
import { ConnectedSource } from '../../intake/connected.ts';
import { TopicDriver } from './driver.ts';
import type { mqtt } from './spec.ts';

/** Subscribes to topics of a broker under one client id, which no other connection may have at the same time. */
export const create: Factory<typeof mqtt> = (name, config, services) => {
  const { auto_reconnect, max_reconnect_interval: maxDelay } = config;
  const backoff = { kind: 'exponential', delay: Math.min(1000, maxDelay), maxDelay, jitter: true } as const;
  const mostAttempts = auto_reconnect ? Number.POSITIVE_INFINITY : 0;
  return new ConnectedSource(name, new TopicDriver(name, config, services.log), { backoff, mostAttempts }, services);
};
