import type { Factory } from '../../../../foundation/contracts/connector.ts';
import { Notifier } from '../../notifier.ts';
import { ProviderClient } from '../../provider-client.ts';
import { FcmChannel } from './channel.ts';
import type { fcm } from './spec.ts';

export const create: Factory<typeof fcm> = (name, config, services) => {
  const client = new ProviderClient(services, []);
  const channel = new FcmChannel(config, services, client);
  return new Notifier({
    name,
    services,
    channel,
    client,
    origin: new URL(config.api_url).origin,
    timeout: config.timeout,
  });
};
