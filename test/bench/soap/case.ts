import { join } from 'node:path';
import type { Benchmark, Row } from '../benchmark.ts';
import { type Comparison, compare } from '../compare.ts';
import { handWritten, service } from '../side.ts';

const folder = import.meta.dirname;

type Beside = 'Fastify' | 'node:http';

function shape(lines: number, beside: Beside): Comparison {
  const items = Array.from(
    { length: lines },
    (_, at) => `<lines><sku>sku-${at}</sku><quantity>${at + 1}</quantity></lines>`,
  );
  const body = `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><o:CreateOrder xmlns:o="http://example.org/orders"><customer>Ada Lovelace</customer>${items.join('')}</o:CreateOrder></s:Body></s:Envelope>`;
  const headers = { 'content-type': 'text/xml; charset=utf-8' };
  return {
    name: `SOAP, an order of ${lines} lines`,
    ours: service(folder),
    theirs: beside === 'Fastify' ? handWritten(join(folder, 'fastify')) : handWritten(folder),
    requests: [{ method: 'POST', path: '/', headers, body }],
    ready: '/wsdl',
    floor: { rps: 0.85, cpu: 1.15 },
  };
}

export const soap: Benchmark = {
  name: 'soap',
  title: 'An operation of a SOAP service with declared types, beside Fastify and node:http with the same parser of XML',
  async run(conditions) {
    const rows: Row[] = [];
    for (const lines of [3, 50]) {
      rows.push(named(await compare(shape(lines, 'Fastify'), conditions), 'Fastify'));
      const bare = await compare(shape(lines, 'node:http'), conditions);
      rows.push({ ...named(bare, 'node:http'), floor: '-', holds: undefined });
    }
    return rows;
  },
};

function named(row: Row, beside: Beside): Row {
  return { ...row, beside: row.beside.replace('hand-written', beside) };
}
