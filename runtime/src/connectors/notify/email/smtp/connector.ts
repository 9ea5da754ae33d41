import type { Factory } from '../../../../foundation/contracts/connector.ts';
import { Notifier } from '../../notifier.ts';
import { SmtpChannel } from './channel.ts';
import type { smtp } from './spec.ts';

export const create: Factory<typeof smtp> = (name, config, services) => {
  const channel = new SmtpChannel(name, config, services);
  return new Notifier({ name, services, channel, client: channel, origin: config.host, timeout: config.timeout });
};
