import type { Factory } from '../../../../foundation/contracts/connector.ts';
import { Notifier } from '../../notifier.ts';
import { ProviderClient } from '../../provider-client.ts';
import { TwilioChannel } from './channel.ts';
import type { twilio } from './spec.ts';

export const create: Factory<typeof twilio> = (name, config, services) => {
  const client = new ProviderClient(services, [config.auth_token]);
  const channel = new TwilioChannel(config, client);
  return new Notifier({
    name,
    services,
    channel,
    client,
    origin: new URL(config.api_url).origin,
    timeout: config.timeout,
  });
};
