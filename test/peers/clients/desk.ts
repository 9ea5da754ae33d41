import { execFile } from 'node:child_process';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../support/free-port.ts';
import { startService } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { Checks } from '../checks.ts';
import type { Outcome } from '../peer.ts';
import { type Check, expected } from './expected.ts';

/** A program that is given the addresses as JSON, and prints `{"check", "value"}` for each check, a line each. */
export interface Client {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export const service = join(import.meta.dirname, 'service');

/** Milliseconds in which a client must have asked everything. */
const timeout = 240_000;

/** Has the client call the built program; compares what it found as whole values. */
export async function checkClient(client: Client, left: readonly Check[] = []): Promise<readonly Outcome[]> {
  const silent = await startSilent();
  try {
    const ports = { GRAPHQL_PORT: await freePort(), GRPC_PORT: await freePort(), SOAP_PORT: await freePort() };
    const env = Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)]));
    const desk = await startService({ directory: service, env: { ...env, SILENT: silent.address } });
    try {
      const places = {
        web: desk.address,
        live: `${desk.address.replace('http', 'ws')}/live`,
        graphql: `http://127.0.0.1:${ports.GRAPHQL_PORT}/graphql`,
        subscriptions: `ws://127.0.0.1:${ports.GRAPHQL_PORT}/subscriptions`,
        grpc: `127.0.0.1:${ports.GRPC_PORT}`,
        soap: `http://127.0.0.1:${ports.SOAP_PORT}`,
      };
      const checks = new Checks();
      const { found, problem } = await run(client, places);
      for (const [check, value] of Object.entries(expected)) {
        if (left.includes(check as Check)) continue;
        await checks.same(check, value, () => found.get(check));
      }
      await checks.same('the client ends well', undefined, () => problem);
      await checks.same('flows of callers that left have ended', ['/grpc', '/rest'], () => silent.left());
      return checks.outcomes;
    } finally {
      await desk.stop();
    }
  } finally {
    await silent.stop();
  }
}

async function run({ program, args, env }: Client, places: object) {
  const options = { env: { ...process.env, ...env }, timeout, maxBuffer: 8 * 1024 * 1024 };
  const asked = promisify(execFile)(program, [...args, JSON.stringify(places)], options);
  const { stdout, problem } = await asked.then(
    ({ stdout: written }) => ({ stdout: written, problem: undefined }),
    (error: { stdout?: string; stderr?: string }) => ({
      stdout: error.stdout ?? '',
      problem: (error.stderr || String(error)).trim().slice(-600).replaceAll('\n', ' | '),
    }),
  );
  const found = new Map<string, unknown>();
  for (const line of stdout.split('\n').filter((each) => each.startsWith('{'))) {
    const { check, value } = JSON.parse(line) as { readonly check: string; readonly value: unknown };
    found.set(check, value);
  }
  return { found, problem };
}

/** A server that never answers, but for its health, and knows who waits. */
async function startSilent() {
  const begun = new Set<string>();
  const waiting = new Set<ServerResponse>();
  const server = createServer(({ url = '' }, response) => {
    // A connector asks whether its server is well.
    if (url === '/') return void response.end();
    begun.add(url);
    waiting.add(response);
    response.once('close', () => waiting.delete(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** What was asked, as soon as nothing waits. */
    async left() {
      await until(() => waiting.size === 0, AbortSignal.timeout(20_000));
      return [...begun].sort();
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
