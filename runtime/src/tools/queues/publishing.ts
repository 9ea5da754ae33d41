import { titleOf } from '../../connectors/core/declaration.ts';
import { takenAddresses, takenTypes } from '../../engine/export/asyncapi-exchanges.ts';
import { messageSample } from '../../engine/flow/stages/validate/message-sample.ts';
import { typeModels } from '../../engine/plan/types.ts';
import { commandCloseTime, withinTime } from '../../platform/net/within-time.ts';
import type { QueueConnector } from './sources.ts';

export type Payload = Readonly<Record<string, unknown>>;

/** A queue or topic, not a pattern of several. */
const plainName = /^[^*#+>{},]+$/;

/** Where messages go that name no place: to where the flows of the connector take them from, where that is one place. */
export function standardTarget({ project, name }: QueueConnector): string | undefined {
  const addresses = takenAddresses(project, name);
  const [own] = addresses;
  return addresses.length === 1 && own !== undefined && plainName.test(own) ? own : undefined;
}

/** A message as the flows of a connector take it. Throws where they name no type, or several, or one without messages. */
export function sampleOf({ project, name, spec }: QueueConnector, target: string | undefined): Payload {
  const [type, ...others] = takenTypes(project, name, target);
  const where = `the flows of connector "${name}"${target === undefined ? '' : ` at "${target}"`}`;
  if (type === undefined)
    throw new Error(`${where} name no type to make a sample of: write input in their validate, or use --input`);
  if (others.length > 0)
    throw new Error(
      `${where} take several types, ${[type, ...others].join(', ')}: name one place with --target, or use --input`,
    );
  const input = messageSample(type, typeModels(project));
  const member = spec.channels?.payload;
  if (member === undefined) return input;
  const payload = input[member];
  if (typeof payload === 'object' && payload !== null && !Array.isArray(payload)) return payload as Payload;
  throw new Error(
    `type "${type}" has no field "${member}" that is an object, and messages of ${titleOf({ name, spec })} are there: add it to the type, or use --input`,
  );
}

/** Sends messages as a destination of a flow does. Rejects with how many were sent before the first that could not be. */
export async function publish(
  queue: QueueConnector,
  messages: readonly Payload[],
  target: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { name, spec, project, connector } = queue;
  if (connector.target === undefined) throw new Error(`${titleOf({ name, spec })} sends no messages`);
  const [own] = takenAddresses(project, name);
  const params = target !== undefined && target === own ? spec.channels?.straight : undefined;
  const execute = connector.target.prepare({
    verb: 'create',
    operation: undefined,
    target,
    query: undefined,
    timeout: undefined,
    exact: false,
    flow: 'svc queue publish',
    label: 'to',
  });
  let sent = 0;
  try {
    await (connector.openTarget?.(signal) ?? connector.open(signal));
    for (const payload of messages) {
      signal.throwIfAborted();
      await execute({ payload, signal, ...(params && { params }) });
      sent++;
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(sent === 0 ? reason : `${reason}; ${sent} of ${messages.length} messages were sent`);
  } finally {
    await withinTime(commandCloseTime, () => connector.close()).catch(() => undefined);
  }
}
