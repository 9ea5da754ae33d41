import { configured } from '../../../../../../test/support/configured.ts';
import { connectorServices, type LogLine, recordingLog } from '../../../../../../test/support/connector-services.ts';
import type { CallResult } from '../../../../foundation/contracts/call-result.ts';
import type { CallRequest } from '../../../../foundation/contracts/target.ts';
import { create } from '../connector.ts';
import { partitionedLog } from '../spec.ts';
import { cleanups, never } from './consuming.ts';

export interface SendingConnector {
  /** Sends what a destination of a flow would. */
  readonly send: (request: CallRequest) => Promise<CallResult>;
  readonly lines: readonly LogLine[];
}

/** A connector that sends to a topic. `over` are attributes beside the producer. */
export async function sendingTo(
  addresses: readonly string[],
  producer: Readonly<Record<string, unknown>>,
  over: object = {},
): Promise<SendingConnector> {
  const log = recordingLog();
  const config = configured(partitionedLog.config, {
    brokers: addresses,
    producer: { linger_ms: 0, ...producer },
    ...over,
  });
  const connector = create('orders', config, connectorServices({ log }));
  cleanups.push(() => connector.close(AbortSignal.abort()));
  await connector.open(never);
  const execute = connector.target?.prepare({
    verb: 'create',
    operation: undefined,
    target: undefined,
    query: undefined,
    timeout: undefined,
    exact: false,
    flow: 'f',
    label: 'to',
  });
  return { send: async (request) => (await execute?.(request)) as CallResult, lines: log.lines };
}
