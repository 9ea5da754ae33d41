import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import type { CallDescription, CallRequest } from '../../../foundation/contracts/target.ts';
import { create } from '../amqp/connector.ts';
import { amqp } from '../amqp/spec.ts';
import { brokerUrl } from './broker.ts';
import { cleanups, never } from './consuming.ts';

/** A connector that sends messages, open until the test ends. */
export async function publishing(written: Record<string, unknown> = {}, services = connectorServices()) {
  const config = configured(amqp.config, { url: brokerUrl, reconnect_delay: 100, publisher: {}, ...written });
  const connector = create('orders', config, services);
  cleanups.push(() => connector.close());
  await connector.open(never);
  const prepare = (call: Partial<CallDescription> = {}) => {
    const execute = connector.target?.prepare({
      verb: 'create',
      operation: undefined,
      target: undefined,
      query: undefined,
      timeout: undefined,
      exact: false,
      flow: 'f',
      label: 'to',
      ...call,
    });
    return async (request: CallRequest) => execute?.(request);
  };
  const send = (request: CallRequest, call: Partial<CallDescription> = {}) => prepare(call)(request);
  return { connector, prepare, send };
}
