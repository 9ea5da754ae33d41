import type { Factory } from '../../../../foundation/contracts/connector.ts';
import { Notifier } from '../../notifier.ts';
import { ProviderClient } from '../../provider-client.ts';
import { SesChannel } from './channel.ts';
import type { ses } from './spec.ts';

export const create: Factory<typeof ses> = (name, config, services) => {
  const client = new ProviderClient(services, [config.access_key_id, config.secret_access_key]);
  const channel = new SesChannel(config, services, client);
  return new Notifier({ name, services, channel, client, origin: channel.origin, timeout: config.timeout });
};
