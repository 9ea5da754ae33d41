import type { Log } from '../../../observe/log.ts';
import type { AmqpConfig } from './address.ts';
import { BrokerLink, type LinkOptions } from './link.ts';
import { Topology } from './topology.ts';

/**
 * Declares a queue as its connector would with `create_if_missing`, where there is none of this name, over a connection of
 * its own. Resolves with whether it was made; one that exists is left as it is.
 */
export async function declareQueue(
  options: LinkOptions & { readonly log: Log },
  consumer: AmqpConfig['consumer'],
  queue: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { address, log } = options;
  const topology = new Topology({ ...consumer, create_if_missing: true }, address.vhost, log);
  let isMade = false;
  const link = new BrokerLink(options, {
    attach: async (life) => {
      if (await topology.exists(life, queue)) return;
      await topology.ensure(life, queue);
      isMade = true;
    },
    detach: () => undefined,
  });
  try {
    await link.open(signal);
    return isMade;
  } finally {
    await link.close();
  }
}
