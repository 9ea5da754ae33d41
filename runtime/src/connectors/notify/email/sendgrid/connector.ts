import type { Factory } from '../../../../foundation/contracts/connector.ts';
import { Notifier } from '../../notifier.ts';
import { ProviderClient } from '../../provider-client.ts';
import { SendgridChannel } from './channel.ts';
import type { sendgrid } from './spec.ts';

export const create: Factory<typeof sendgrid> = (name, config, services) => {
  const client = new ProviderClient(services, [config.api_key]);
  const channel = new SendgridChannel(config, services, client);
  const { origin } = new URL(config.api_url);
  return new Notifier({ name, services, channel, client, origin, timeout: config.timeout });
};
