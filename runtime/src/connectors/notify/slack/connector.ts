import type { Factory } from '../../../foundation/contracts/connector.ts';
import { Notifier } from '../notifier.ts';
import { ProviderClient } from '../provider-client.ts';
import { SlackChannel } from './channel.ts';
import type { slack } from './spec.ts';

export const create: Factory<typeof slack> = (name, config, services) => {
  const { webhook_url: webhook, token, api_url: api, timeout } = config;
  const client = new ProviderClient(services, [
    token,
    webhook,
    URL.parse(webhook ?? '')
      ?.pathname.split('/')
      .at(-1),
  ]);
  const channel = new SlackChannel({ name, config, services, client });
  return new Notifier({ name, services, channel, client, origin: new URL(webhook || api).origin, timeout });
};
