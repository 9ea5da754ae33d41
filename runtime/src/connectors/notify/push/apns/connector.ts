import type { Factory } from '../../../../contracts/connector.ts';
import { Http2Client } from '../../../../net/http2-client.ts';
import { Notifier } from '../../notifier.ts';
import { ProviderClient } from '../../provider-client.ts';
import { ApnsChannel } from './channel.ts';
import type { apns } from './spec.ts';

export const create: Factory<typeof apns> = (name, config, services) => {
  const client = new ProviderClient(services, [], new Http2Client());
  const channel = new ApnsChannel(config, services, client);
  return new Notifier({ name, services, channel, client, origin: channel.origin, timeout: config.timeout });
};
