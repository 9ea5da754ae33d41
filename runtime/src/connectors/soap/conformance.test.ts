import { configured } from '../../../../test/support/configured.ts';
import type { HttpMount } from '../../foundation/contracts/http.ts';
import type { FailureCode } from '../../foundation/errors/failures.ts';
import { messageBudget } from '../../platform/formats/budget.ts';
import { mountConformance, password } from '../../platform/http/testing/mount-conformance.ts';
import { binding, reply } from '../../platform/http/testing/served.ts';
import { requestServerConformance } from '../../service/running/testing/request-server-conformance.ts';
import { credentialsOf } from '../../service/running/testing/served-answer.ts';
import { readEnvelope } from './envelope/read.ts';
import { envelopeText, operationElement } from './envelope/write.ts';
import { create } from './server/connector.ts';
import { soapServer } from './server/spec.ts';
import { bodyOf } from './testing/served.ts';

mountConformance('soap', async () => {
  const auth = { type: 'basic', users: { ada: password } };
  return {
    mount: async (services) => {
      const connector = create('api', configured(soapServer.config, { host: '127.0.0.1', port: 0, auth }), services);
      const bound = connector.source?.bind([binding('Hello', () => reply({ done: true }))]);
      await connector.open(new AbortController().signal);
      await bound?.prepare();
      return bound?.http as HttpMount;
    },
    requests: [
      { method: 'GET', path: '/wsdl', route: '/wsdl', status: 200 },
      // Without a Content-Type nothing is read.
      { method: 'POST', path: '/orders', route: '/*', status: 415 },
    ],
    body: { method: 'POST', path: '/', largest: 1_048_576, type: 'text/xml' },
    everyPath: '/*',
    codeOf: (text) => /<soap:Fault>.*<f:code>(\w+)</.exec(bodyOf(text))?.[1],
    close: async () => undefined,
  };
});

/** Texts of XML as the flows of the suite have made them. */
function fieldsIn(content: unknown): unknown {
  if (content === '') return {};
  const fields = Object.entries(content as Record<string, unknown>);
  return Object.fromEntries(fields.map(([name, value]) => [name, name === 'version' ? Number(value) : value]));
}

requestServerConformance('soap', {
  connector: 'type = "soap"',
  operation: (name) => name,
  largest: 1000,
  ask: async (port, name, { fields = {}, caller } = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: { 'content-type': 'text/xml', ...credentialsOf(caller) },
      body: written(name, fields),
    });
    const text = await response.text();
    const { content } = await readEnvelope(Buffer.from(text), undefined, messageBudget);
    if (response.ok) return { value: fieldsIn(content) };
    const { detail } = content as { readonly detail?: { readonly failure: { readonly code?: FailureCode } } };
    return { refused: { code: detail?.failure.code, text } };
  },
});

/** A request, with characters that XML has not as references to them. */
function written(name: string, fields: Readonly<Record<string, unknown>>): string {
  const marks = /[\u0000\u0007]/;
  const text = envelopeText({ version: '1.1', body: operationElement(undefined, name, fields) });
  return typeof fields['text'] === 'string' && marks.test(fields['text']) ? text.replace('\ufffd', '&#7;') : text;
}
