import type { Benchmark } from '../benchmark.ts';
import { type Comparison, compare } from '../compare.ts';
import { handWritten, service } from '../side.ts';

const folder = import.meta.dirname;

function shape(name: string, lines: number): Comparison {
  const items = Array.from(
    { length: lines },
    (_, at) => `<lines><sku>sku-${at}</sku><quantity>${at + 1}</quantity></lines>`,
  );
  const body = `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><o:CreateOrder xmlns:o="http://example.org/orders"><customer>Ada Lovelace</customer>${items.join('')}</o:CreateOrder></s:Body></s:Envelope>`;
  const headers = { 'content-type': 'text/xml; charset=utf-8' };
  return {
    name,
    ours: service(folder),
    theirs: handWritten(folder),
    requests: [{ method: 'POST', path: '/', headers, body }],
    ready: '/wsdl',
    floor: { rps: 0.85, cpu: 1.15 },
  };
}

export const soap: Benchmark = {
  name: 'soap',
  title: 'An operation of a SOAP service with declared types, beside node:http and the same parser of XML',
  run: async (conditions) => [
    await compare(shape('SOAP, an order of 3 lines', 3), conditions),
    await compare(shape('SOAP, an order of 50 lines', 50), conditions),
  ],
};
