import type { Factory } from '../../../foundation/contracts/connector.ts';
import { Notifier } from '../notifier.ts';
import { ProviderClient } from '../provider-client.ts';
import { DiscordChannel } from './channel.ts';
import type { discord } from './spec.ts';

export const create: Factory<typeof discord> = (name, config, services) => {
  const { webhook_url: webhook, bot_token: token, api_url: api, timeout } = config;
  const client = new ProviderClient(services, [
    token,
    webhook,
    URL.parse(webhook ?? '')
      ?.pathname.split('/')
      .at(-1),
  ]);
  const channel = new DiscordChannel(config, client);
  return new Notifier({ name, services, channel, client, origin: new URL(webhook || api).origin, timeout });
};
