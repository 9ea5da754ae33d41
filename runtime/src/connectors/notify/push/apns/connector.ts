import type { Factory } from '../../../../foundation/contracts/connector.ts';
import { documentLimit, HttpClient } from '../../../../platform/net/request.ts';
import { Notifier } from '../../notifier.ts';
import { ProviderClient } from '../../provider-client.ts';
import { ApnsChannel } from './channel.ts';
import type { apns } from './spec.ts';

/** One, and one beside it that its server is about to end. */
const connections = 2;

export const create: Factory<typeof apns> = (name, config, services) => {
  const sender = new HttpClient({ maxResponse: documentLimit, http2: 'known', connections });
  const client = new ProviderClient(services, [], sender);
  const channel = new ApnsChannel(config, services, client);
  return new Notifier({ name, services, channel, client, origin: channel.origin, timeout: config.timeout });
};
