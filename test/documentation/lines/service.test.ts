import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { loadProject } from '@svc/protocol/model';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { projectRules } from '../../../runtime/src/checks/project-rules.ts';
import { vocabulary } from '../../../runtime/src/checks/vocabulary.ts';
import { connectors } from '../../../runtime/src/connectors/catalog.ts';
import { loadFactory } from '../../../runtime/src/connectors/registry.ts';
import { compilePlan } from '../../../runtime/src/engine/plan/compile.ts';
import type { Factory } from '../../../runtime/src/foundation/contracts/connector.ts';
import { createService, type Service } from '../../../runtime/src/service/running/service.ts';
import { loaded, setup } from '../../../runtime/src/service/running/testing/fakes.ts';
import { freePort } from '../../support/free-port.ts';
import { create as createClient } from './client.ts';
import { linesOf } from './line-reader.ts';
import { create as createLineServer } from './server.ts';
import { linesClient, linesServer } from './spec.ts';

const text = readFileSync(join(import.meta.dirname, 'service.hcl'), 'utf8');
/** The two connectors as the catalogue would have them, with the code that is loaded for each. */
const own = new Map<unknown, unknown>([
  [linesServer, createLineServer],
  [linesClient, createClient],
]);
const extended = { ...vocabulary, connectors: [...Object.values(connectors), linesServer, linesClient] };

/** A printer answers a line with itself; `labels` are those it has printed. */
let printer: Server;
let labels: string[];
let variables: Record<string, string>;
let service: Service | undefined;
let clients: Socket[];

beforeEach(async () => {
  labels = [];
  clients = [];
  printer = createServer(async (socket) => {
    for await (const line of linesOf(socket, 65_536)) {
      if (line.length > 0) labels.push(String(line));
      socket.write(`${line}\n`);
    }
  });
  printer.listen(0, '127.0.0.1');
  await once(printer, 'listening');
  const { port } = printer.address() as AddressInfo;
  variables = { SCALES_PORT: String(await freePort()), PRINTER_PORT: String(port), TOKEN: 'secret of the scales' };
});

afterEach(async () => {
  for (const client of clients) client.destroy();
  await service?.stop();
  printer.close();
});

function read(configuration: string) {
  const host = { env: (name: string) => variables[name], readFile: () => '', absolutePath: (path: string) => path };
  const files = [{ path: 'service.hcl', text: configuration }];
  return loadProject(files, { vocabulary: extended, host, expressionFunctions: [] }, projectRules);
}

/** Starts the service; what `configuration` holds when it is reloaded is read again. */
async function start(configuration: { text: string }) {
  const load = () => {
    const project = read(configuration.text);
    expect(project.diagnostics).toEqual([]);
    const plan = compilePlan(project, {
      load: async (spec) => (own.get(spec) as Factory<typeof spec> | undefined) ?? loadFactory(spec),
    });
    return loaded(plan);
  };
  service = createService(setup(load).parts);
  await service.start();
  return service;
}

/** Sends lines over one connection, and resolves with as many answers. */
async function ask(...lines: readonly string[]): Promise<unknown[]> {
  const client = connect(Number(variables['SCALES_PORT']), '127.0.0.1');
  clients.push(client);
  client.write(`${lines.map((line) => `${line}\n`).join('')}`);
  const answers: unknown[] = [];
  for await (const answer of linesOf(client, 65_536)) {
    answers.push(JSON.parse(String(answer)));
    if (answers.length === lines.length - 1) break;
  }
  return answers;
}

test('a line goes through a flow to the printer, and its answer comes back, in the order of the lines', async () => {
  await start({ text });
  const weights = [1, 2, 3].map((grams) => JSON.stringify({ item: 'nails', grams }));
  expect(await ask(variables['TOKEN'] as string, ...weights)).toEqual([
    { printed: 'nails: 1 g' },
    { printed: 'nails: 2 g' },
    { printed: 'nails: 3 g' },
  ]);
  expect(labels).toEqual([1, 2, 3].map((grams) => JSON.stringify({ text: `nails: ${grams} g` })));
});

test('who sends another token is disconnected without an answer', async () => {
  await start({ text });
  expect(await ask('another', '{"item": "nails", "grams": 1}')).toEqual([]);
  expect(labels).toEqual([]);
});

test('a line that no flow can use is answered with an error, and the next one is handled', async () => {
  await start({ text });
  const depth = 30_000;
  const unusable = ['no JSON', '[1', '7', `${'['.repeat(depth)}${']'.repeat(depth)}`];
  const answers = await ask(variables['TOKEN'] as string, ...unusable, '{"item": "nails", "grams": 1}');
  expect(answers).toEqual([
    ...unusable.map(() => ({ error: expect.any(String), message: expect.any(String) })),
    { printed: 'nails: 1 g' },
  ]);
});

test('a client that goes in the middle of a flow disturbs no other', async () => {
  await start({ text });
  const line = '{"item": "nails", "grams": 1}';
  const going = connect(Number(variables['SCALES_PORT']), '127.0.0.1');
  going.write(`${variables['TOKEN']}\n${line}\n${line}\n`, () => going.resetAndDestroy());
  expect(await ask(variables['TOKEN'] as string, line)).toEqual([{ printed: 'nails: 1 g' }]);
});

test('a line that is larger than it may be ends its connection', async () => {
  await start({ text });
  expect(await ask(variables['TOKEN'] as string, 'x'.repeat(65_537))).toEqual([]);
});

test('a reload whose block has changed listens on the same port again', async () => {
  const configuration = { text };
  const running = await start(configuration);
  const line = JSON.stringify({ item: 'nails', grams: 5 });
  expect(await ask(variables['TOKEN'] as string, line)).toEqual([{ printed: 'nails: 5 g' }]);
  configuration.text = text
    .replace(' g\'"', ' grams\'"')
    .replace('driver = "server"', 'driver = "server"\n  workers = 1');
  expect(await running.reload()).toBe(true);
  expect(await ask(variables['TOKEN'] as string, line)).toEqual([{ printed: 'nails: 5 grams' }]);
});

test('a printer that is gone is a failure of the flow, and the service is unhealthy', async () => {
  const running = await start({ text });
  printer.close();
  await once(printer, 'close');
  const answers = await ask(variables['TOKEN'] as string, '{"item": "nails", "grams": 1}');
  expect(answers).toEqual([{ error: 'connector_refused', message: expect.stringContaining('cannot be asked') }]);
  const answer = await running.report();
  expect(JSON.stringify([answers, answer])).not.toContain(variables['TOKEN']);
  expect(answer).toMatchObject({ components: { printer: { status: 'unhealthy' }, scales: { status: 'healthy' } } });
});

test('an operation that means nothing here is refused with its place', () => {
  const { diagnostics } = read(text.replace('"send"', '"print"'));
  expect(diagnostics.map(({ code, message }) => [code, message])).toEqual([
    ['unknown-operation', expect.stringContaining('`print` is unknown: write `send`')],
  ]);
});
