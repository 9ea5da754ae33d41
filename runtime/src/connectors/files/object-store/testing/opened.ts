import { afterEach } from 'vitest';
import { connectorServices, type LogLine, recordingLog } from '../../../../../../test/support/connector-services.ts';
import type { CallResult } from '../../../../foundation/contracts/call-result.ts';
import type { ConnectorServices } from '../../../../foundation/contracts/connector.ts';
import { type Content, ContentOwner } from '../../../../foundation/contracts/content.ts';
import type { CallRequest } from '../../../../foundation/contracts/target.ts';
import type { TargetConnector } from '../../../testing/target-conformance.ts';
import { answerOf } from '../../testing/asking.ts';
import { connectorOf } from './bed.ts';
import { keys, StandIn } from './stand-in.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** Is done when the test ends. */
export function after(clean: () => unknown): void {
  cleanups.push(clean);
}

export interface Opened {
  readonly connector: TargetConnector;
  readonly lines: readonly LogLine[];
  /** One call, as a step makes it. */
  call(operation: string, params: Readonly<Record<string, unknown>>, request?: CallRequest): Promise<CallResult>;
  downloaded(key: string): Promise<Content>;
}

/** An open connector, closed when the test ends. */
export async function opened(
  written: Readonly<Record<string, unknown>>,
  services: Partial<ConnectorServices> = {},
): Promise<Opened> {
  const lines: LogLine[] = [];
  const connector = connectorOf(written, connectorServices({ log: recordingLog(lines), ...services }));
  after(() => connector.close(AbortSignal.abort()));
  await connector.open(new AbortController().signal);
  const call: Opened['call'] = async (operation, params, request = {}) =>
    answerOf(connector, operation, params, {}, request);
  const downloaded = async (key: string) => {
    const owner = new ContentOwner();
    after(() => owner.release());
    return (await call('download', { key }, { contents: owner })).value as Content;
  };
  return { connector, lines, call, downloaded };
}

/** A stand-in and an open connector of its bucket `box`. */
export async function standIn(
  written: Readonly<Record<string, unknown>> = {},
  services: Partial<ConnectorServices> = {},
) {
  const server = await StandIn.start();
  after(() => server.close());
  return { server, ...(await opened({ ...writtenFor(server), ...written }, services)) };
}

/** What a connector of a stand-in is configured with. */
export function writtenFor(server: StandIn): Readonly<Record<string, unknown>> {
  const { access: access_key, secret: secret_key, region } = keys;
  return { bucket: 'box', endpoint: server.url, access_key, secret_key, region, retry: { delay: 1 } };
}
