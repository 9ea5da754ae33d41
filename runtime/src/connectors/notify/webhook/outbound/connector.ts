import type { Factory } from '../../../../foundation/contracts/connector.ts';
import { AddressPolicy } from '../../../../platform/net/addresses/address-policy.ts';
import { documentLimit, HttpClient } from '../../../../platform/net/request.ts';
import { Notifier } from '../../notifier.ts';
import { ProviderClient } from '../../provider-client.ts';
import { longestOf, WebhookChannel } from './channel.ts';
import type { webhookOutbound } from './spec.ts';

export const create: Factory<typeof webhookOutbound> = (name, config, services) => {
  const url = new URL(config.url);
  const secrets = [config.secret, ...(config.headers?.fields ?? []).map(({ value }) => value)];
  // A secret in the address is in its path or its query.
  secrets.push(url.search.slice(1), ...(url.pathname.length > 20 ? [url.pathname.split('/').at(-1)] : []));
  const addresses = new AddressPolicy([url.hostname, ...(config.allowed_hosts ?? [])]);
  const client = new ProviderClient(services, secrets, new HttpClient({ maxResponse: documentLimit, addresses }));
  const channel = new WebhookChannel(config, client, services.clock);
  return new Notifier({
    name,
    services,
    channel,
    client,
    origin: url.origin,
    timeout: longestOf(config),
    checkTimeout: config.timeout,
  });
};
