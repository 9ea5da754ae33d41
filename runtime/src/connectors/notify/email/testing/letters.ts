import { onTestFinished } from 'vitest';
import { configured } from '../../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../../test/support/connector-services.ts';
import {
  type Answer,
  MailServer,
  type MailServerOptions,
  type ReceivedLetter,
} from '../../../../../../test/support/mail-server.ts';
import type { ConnectorServices } from '../../../../foundation/contracts/connector.ts';
import type { TargetConnector } from '../../../testing/target-conformance.ts';
import { send } from '../../testing/bed.ts';
import { create } from '../smtp/connector.ts';
import { smtp } from '../smtp/spec.ts';

/** What a test says of its server and its connector. */
export interface Correspondence {
  readonly answer?: (letter: ReceivedLetter, nth: number) => Answer;
  readonly server?: MailServerOptions;
  readonly written?: Record<string, unknown>;
  readonly services?: Partial<ConnectorServices>;
}

/** A server of mail, and a connector to it that is not open; both are closed when the test ends. */
export async function correspondence({ answer, server = {}, written = {}, services = {} }: Correspondence = {}) {
  const mail = await MailServer.start(answer, server);
  const connector = mailConnector(mail.port, written, connectorServices(services));
  onTestFinished(async () => {
    await connector.close(AbortSignal.abort());
    await mail.close();
  });
  const open = () => connector.open(new AbortController().signal);
  /** Sends a letter with these fields beside the usual ones, and resolves with its result. */
  const sendLetter = async (fields: Record<string, unknown> = {}, timeout?: number) => {
    const payload = { to: 'ana@example.org', subject: 'Hello', text: 'Hello Ana', ...fields };
    const { value } = await send(connector, { payload }, timeout === undefined ? {} : { timeout });
    return (value as { readonly result: Record<string, unknown> }).result;
  };
  return { mail, connector, open, sendLetter };
}

/** The same, open. */
export async function openCorrespondence(given: Correspondence = {}) {
  const all = await correspondence(given);
  await all.open();
  return all;
}

/** A connector to a server of mail on this port of loopback, without TLS unless `written` says so. It is not open. */
export function mailConnector(
  port: number,
  written: Record<string, unknown> = {},
  services: ConnectorServices = connectorServices(),
): TargetConnector {
  const block = {
    host: '127.0.0.1',
    port,
    tls: { mode: 'none' },
    from: 'shop@example.org',
    timeout: 5_000,
    ...written,
  };
  return create('mail', configured(smtp.config, block), services) as TargetConnector;
}
