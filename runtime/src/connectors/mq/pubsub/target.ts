import { randomUUID } from 'node:crypto';
import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import type { CallRequest, Target } from '../../../foundation/contracts/target.ts';
import { asFailure } from '../../../foundation/errors/classify.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { encodeJson } from '../../../platform/formats/json.ts';
import { answered, cancelled } from '../../../platform/net/answered.ts';
import type { RedisClient } from '../../../platform/net/redis/client.ts';
import { storeFailure, wasNotDone } from '../../../platform/net/redis/failure.ts';
import { checkChannel } from './channels.ts';

/** Publishes payloads as JSON. `client` gives the one that is open, if it is. */
export function channelTarget(connector: string, client: () => RedisClient | undefined): Target {
  return {
    prepare({ target, timeout, flow, label }) {
      const where = `flow "${flow}" (${label})`;
      return async (request) => {
        const redis = client();
        if (redis === undefined)
          throw new Failure('connector_refused', `connector "${connector}" is not open`, { at: { connector } });
        if (request.cancelled ?? request.signal?.aborted) throw cancelled();
        const channel = channelOf(request, target, where);
        if (request.payload === undefined)
          throw new Failure('nothing_to_write', `${where}: there is nothing to publish`);
        const published = publish(redis, channel, encodeJson(request.payload));
        return answered(published, { signal: request.signal, timeout }).catch(refused);
      };
    },
  };
}

async function publish(redis: RedisClient, channel: string, text: string): Promise<CallResult> {
  const receivers = await redis.publish(channel, text).catch((error: unknown) => {
    throw storeFailure(error);
  });
  return { affected: 1, value: { message_id: randomUUID(), channel, receivers } };
}

function channelOf({ target, params }: CallRequest, written: string | undefined, where: string): string {
  const channel = target ?? written ?? (params as Readonly<Record<string, unknown>> | undefined)?.['channel'];
  if (typeof channel !== 'string' || channel === '')
    throw new Failure('filter_missing', `${where}: neither target nor params gives a channel, which is a text`);
  const problem = checkChannel(channel);
  if (problem === undefined) return channel;
  throw new Failure('parameters_invalid', problem, {
    fields: [{ field: 'channel', code: 'max_length', message: problem }],
  });
}

/** A message that was sent and not answered may have been published. */
function refused(error: unknown): never {
  const failure = asFailure(error);
  if (failure.code === 'store_unavailable' && wasNotDone(failure))
    throw new Failure('connector_refused', failure.message, { cause: failure });
  if (failure.code === 'store_unavailable' || failure.code === 'connector_timeout')
    throw new Failure('outcome_unknown', `it may have been published: ${failure.message}`, { cause: failure });
  throw failure;
}
