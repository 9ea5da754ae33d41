import { redisUrl } from '../../../../runtime/src/connectors/mq/pubsub/testing/bed.ts';
import { redisServers } from '../redis-servers.ts';
import { type Row, sending } from '../row.ts';

/** A value is kept, and read again. */
const roundTrip = (name: string) =>
  sending(
    name,
    'operation = "set"\nparams = { key = "input.text", value = "input.text" }',
    'step.read',
    'operation = "get"\nparams = { key = "input.text" }',
  );

export const caches: readonly Row[] = [
  { name: 'memory', connector: 'cache/memory', start: (name) => ({ hcl: roundTrip(name) }) },
  ...redisServers.map(
    ({ mode, start, stop }): Row => ({
      name: `kv_${mode}`,
      connector: 'cache/kv',
      chosen: { mode },
      isMissing: redisUrl === undefined,
      start: async (name) => ({ block: await start(), hcl: roundTrip(name), close: stop }),
    }),
  ),
];
