import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningService, runCommand, startService } from '../test/support/service.ts';
import { until } from '../test/support/until.ts';
import { ask, copyExample } from './example.ts';

/** A trace collector: what it was sent. */
const received: { readonly url: string | undefined; readonly type: string | undefined; readonly bytes: Buffer }[] = [];
const collector = createServer(async (request: IncomingMessage, response) => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  received.push({ url: request.url, type: request.headers['content-type'], bytes: Buffer.concat(pieces) });
  response.end();
});

const { directory, remove } = copyExample('orders');
/** The example takes JSON and forms. */
const api = join(directory, 'connectors.hcl');
writeFileSync(
  api,
  readFileSync(api, 'utf8').replace(/(type += "rest")/, '$1\n  body_formats = ["json", "form", "xml"]'),
);
let service: RunningService;

beforeAll(async () => {
  await new Promise<void>((resolve) => void collector.listen(0, '127.0.0.1', resolve));
  await runCommand(['migrate', '-c', directory]);
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  service = await startService({
    directory,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_BSP_SCHEDULE_DELAY: '50' },
  });
});

afterAll(async () => {
  await service?.stop('SIGKILL');
  collector.close();
  remove();
});

describe('parts of the built program that are loaded late', () => {
  test('traces go to the collector as protobuf', async () => {
    expect(await ask('GET', `${service.address}/orders`)).toEqual({ status: 200, body: { orders: [], count: 0 } });
    await until(() => received.length > 0);
    const [first] = received;
    expect([first?.url, first?.type]).toEqual(['/v1/traces', 'application/x-protobuf']);
    expect(first?.bytes.includes('flow list_orders')).toBe(true);
  });

  test('XML and uploads are read', async () => {
    const xml = await fetch(`${service.address}/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/xml' },
      body: '<order><customer>Ada</customer></order>',
    });
    expect([xml.status, ((await xml.json()) as { code: string }).code]).toEqual([400, 'input_invalid']);
    const form = new FormData();
    form.set('customer', 'Ada');
    form.set('scan', new Blob(['x']), 'scan.txt');
    const upload = await fetch(`${service.address}/orders`, { method: 'POST', body: form });
    expect([upload.status, ((await upload.json()) as { code: string }).code]).toEqual([400, 'input_invalid']);
  });

  test('the service is described as OpenAPI in both formats', async () => {
    const yaml = await runCommand(['export', 'openapi', '-c', directory]);
    expect([yaml.code, yaml.stdout.split('\n')[0]]).toEqual([0, 'openapi: 3.0.3']);
    const json = await runCommand(['export', 'openapi', '-c', directory, '--format', 'json']);
    expect(Object.keys((JSON.parse(json.stdout) as { paths: object }).paths)).toEqual(['/orders', '/orders/{id}']);
  });

  test('every command explains itself', async () => {
    const { stdout } = await runCommand(['--help']);
    const names = [...stdout.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name]) => name as string);
    expect(names.length).toBeGreaterThan(8);
    for (const name of names) {
      const help = await runCommand([name, '--help']);
      expect([name, help.code, help.stderr, help.stdout.includes(`Usage: svc ${name}`)]).toEqual([name, 0, '', true]);
    }
  });
});
