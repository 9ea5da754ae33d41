import { configured } from '../../../../../test/support/configured.ts';
import type { Binding } from '../../../foundation/contracts/source.ts';
import {
  type Answer,
  binding,
  type Deliver,
  type Served,
  type ServedOptions,
  serve,
} from '../../../platform/http/testing/served.ts';
import { create } from '../server/connector.ts';
import { soapServer } from '../server/spec.ts';

export { echo, reply } from '../../../platform/http/testing/served.ts';

/** A SOAP server behind a real socket. */
export interface ServedSoap extends Served {
  /** Sends an envelope of version 1.1, or what else its headers say. */
  post(envelope: string | Uint8Array, headers?: Readonly<Record<string, string>>, path?: string): Promise<Answer>;
}

export const soap11 = 'http://schemas.xmlsoap.org/soap/envelope/';
export const soap12 = 'http://www.w3.org/2003/05/soap-envelope';

/** An envelope of version 1.1 around a body. */
export function envelope(body: string, header = '', namespace = soap11): string {
  const head = header === '' ? '' : `<s:Header>${header}</s:Header>`;
  return `<?xml version="1.0"?><s:Envelope xmlns:s="${namespace}">${head}<s:Body>${body}</s:Body></s:Envelope>`;
}

/** Serves stub flows by the names of their operations. */
export async function servedSoap(
  operations: Readonly<Record<string, Deliver>>,
  {
    config,
    bound = {},
    ...options
  }: ServedOptions & { readonly config?: Record<string, unknown>; readonly bound?: Partial<Binding> } = {},
): Promise<ServedSoap> {
  const values = configured(soapServer.config, { host: '127.0.0.1', port: 0, ...config });
  const served = await serve(
    (services) => create('api', values, services),
    Object.entries(operations).map(([operation, deliver]) => binding(operation, deliver, bound)),
    options,
  );
  const post: ServedSoap['post'] = (body, headers = {}, path = '/') =>
    served.ask(path, { method: 'POST', headers: { 'content-type': 'text/xml; charset=utf-8', ...headers }, body });
  return { ...served, post };
}

/** What an answer has without the blanks and the envelope around it. */
export function bodyOf(text: string): string {
  const [, body = text] = /<soap:Body>([\s\S]*)<\/soap:Body>/.exec(text) ?? [];
  return body.replace(/>\s+</g, '><').trim();
}
