// A program of its own: starts the service of a directory, serves requests and loads the configuration again and again,
// with a reload that fails before each and files that come before and while it is reloaded, and prints what the heap holds
// after the given numbers of reloads as one line of JSON. Usage: program.ts DIRECTORY INBOX,... NUMBER...
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { getHeapSnapshot } from 'node:v8';
import type { Channel } from '@svc/protocol/wire';
import { compilePlan } from '../../../engine/plan/compile.ts';
import { systemClock } from '../../../foundation/observe/clock.ts';
import { createLog } from '../../../foundation/observe/logger.ts';
import { HttpListener } from '../../../platform/http/sockets/listener.ts';
import { DebugEntryPoint } from '../../debug/connection/entry-point.ts';
import { loadService } from '../load.ts';
import { createService } from '../service.ts';

const [directory = '', folders = '', ...counts] = process.argv.slice(2);
const inboxes = folders.split(',').map((folder) => join(directory, folder));
const moments = counts.map(Number);
const log = createLog({
  level: 'info',
  format: 'json',
  clock: systemClock,
  destination: { write: (line) => void process.stderr.write(line), flush: () => undefined },
});
const entryPoint = new DebugEntryPoint({
  access: { enabled: true, trustsLoopback: true, token: 'a token for this program', origin: undefined },
  clock: systemClock,
  log,
  variables: {},
  masksNames: false,
  maxPause: 1_000,
  worker: undefined,
});
const service = createService({
  load: () =>
    loadService(
      directory,
      { environment: {}, workingDirectory: directory, workers: 1 },
      'development',
      (project, engine) => compilePlan(project, { engine }),
    ),
  createListener: (connectors, application) => new HttpListener(connectors, application),
  log,
  clock: systemClock,
  environment: 'development',
  production: false,
  directory,
  productVersion: '0.0.0',
  debug: entryPoint,
});
const { addresses } = await service.start();
const port = addresses.get('api')?.port ?? 0;
const agent = new Agent({ keepAlive: true, maxSockets: 2 });

/** A client that stays attached, with a breakpoint that is never reached. */
async function attach(): Promise<(method: string, params: object) => Promise<unknown>> {
  const waiting = new Map<number, (answer: unknown) => void>();
  let take: (text: string) => void = () => undefined;
  const channel: Channel = {
    closed: new Promise(() => undefined),
    send: (text) => {
      const { id, result, error } = JSON.parse(text) as { id?: number; result?: unknown; error?: unknown };
      if (id !== undefined) waiting.get(id)?.(result ?? error);
    },
    receive: (listener) => {
      take = listener;
    },
    close: () => undefined,
  };
  await entryPoint.connect(channel);
  let last = 0;
  return (method, params) =>
    new Promise((resolve) => {
      waiting.set(++last, resolve);
      take(JSON.stringify({ jsonrpc: '2.0', id: last, method, params }));
    });
}

function ask(path: string, method: string, authorization: string | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      'x-api-key': 'a-key-of-32-characters-or-longer',
      'content-type': 'application/json',
      ...(authorization !== undefined && { authorization }),
    };
    request({ port, host: '127.0.0.1', path, method, agent, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    })
      .on('error', reject)
      .end(method === 'POST' ? '{"name":"one"}' : undefined);
  });
}

interface HeapSnapshot {
  readonly snapshot: {
    readonly meta: {
      readonly node_fields: readonly string[];
      readonly node_types: readonly [readonly string[]];
      readonly edge_fields: readonly string[];
      readonly edge_types: readonly [readonly string[]];
    };
  };
  readonly nodes: readonly number[];
  readonly edges: readonly number[];
  readonly strings: readonly string[];
}

/** How many objects and functions of each name the heap holds. Plain objects are named by their properties. */
async function census(): Promise<Record<string, number>> {
  let text = '';
  for await (const piece of getHeapSnapshot()) text += piece;
  const { snapshot, nodes, edges, strings } = JSON.parse(text) as HeapSnapshot;
  const { node_fields, node_types, edge_fields, edge_types } = snapshot.meta;
  const [size, edgeSize, edgeCount] = [node_fields.length, edge_fields.length, node_fields.indexOf('edge_count')];
  const found = new Map<string, number>();
  let edge = 0;
  for (let at = 0; at < nodes.length; at += size) {
    const type = node_types[0][nodes[at] as number];
    const end = edge + (nodes[at + edgeCount] as number) * edgeSize;
    let name = `${type} ${strings[nodes[at + 1] as number]}`;
    if (name === 'object Object') {
      const properties: string[] = [];
      for (let each = edge; each < end; each += edgeSize)
        if (edge_types[0][edges[each] as number] === 'property')
          properties.push(strings[edges[each + 1] as number] ?? '');
      name += ` { ${properties.sort().join(', ')} }`;
    }
    if (type === 'object' || type === 'closure') found.set(name, (found.get(name) ?? 0) + 1);
    edge = end;
  }
  return Object.fromEntries(found);
}

/** Puts a file into each inbox at once, as a program does that renames it. */
async function put(name: string): Promise<void> {
  for (const inbox of inboxes) {
    const beside = join(directory, `${name}.part`);
    await writeFile(beside, '{"n":1}');
    await rename(beside, join(inbox, name));
  }
}

/** Resolves when every file was moved out of its inbox. */
async function handled(): Promise<void> {
  for (const inbox of inboxes)
    while ((await readdir(inbox)).some((name) => name.endsWith('.json'))) await systemClock.sleep(10);
}

const call = await attach();
await call('debug.attach', {});
await call('debug.setBreakpoints', {
  flow: 'get_thing',
  breakpoints: [{ stage: 'transform', ruleIndex: 0, condition: 'false' }],
});
await call('debug.setGate', { position: 'open' });
const results: Record<string, number>[] = [];
const file = join(directory, 'changing.hcl');
const broken = join(directory, 'broken.hcl');
const unreachable = `connector "nowhere" {
  type     = "database"
  driver   = "sqlite"
  database = "things.db/no.db"
}
`;
const written = await readFile(file, 'utf8');
for (let reloads = 1; reloads <= Math.max(...moments); reloads++) {
  await writeFile(broken, reloads % 2 === 0 ? '}' : unreachable);
  if (await service.reload()) throw new Error('a configuration that cannot be opened was loaded');
  await rm(broken);
  await writeFile(file, written.replaceAll('generation 0', `generation ${reloads}`));
  await put(`${reloads}-0.json`);
  const reload = service.reload();
  await put(`${reloads}-1.json`);
  if (!(await reload)) throw new Error('the configuration was not loaded');
  for (const [path, method, wanted, authorization] of [
    ['/things/1', 'GET', 200, undefined],
    ['/things/1', 'GET', 200, undefined],
    ['/things/1', 'GET', 401, 'Bearer a-credential-that-a-provider-is-asked-about'],
    ['/things', 'POST', 200, undefined],
    ['/secret', 'GET', 200, undefined],
  ] as const) {
    // A process that has just written a snapshot refuses requests for a moment.
    let status: number;
    while ((status = await ask(path, method, authorization)) === 503) await systemClock.sleep(20);
    if (status !== wanted) throw new Error(`${method} ${path} was answered with ${status}`);
  }
  if (!moments.includes(reloads)) continue;
  await handled();
  // A look at files that a snapshot interrupts takes as long as the snapshot, and the next one comes as much later.
  await call('debug.setGate', { position: 'demand' });
  results.push(await census());
  await call('debug.setGate', { position: 'open' });
}
process.stdout.write(`${JSON.stringify(results)}\n`, () => process.exit(0));
