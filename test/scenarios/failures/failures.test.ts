import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { until } from '../../support/until.ts';
import { type Scenario, startScenario } from '../scenario.ts';
import { protocols, type Seen } from './asking.ts';
import { writeConfiguration } from './configuration.ts';
import { isKnown, type Pair, pageOf } from './page.ts';
import { type Way, ways } from './ways.ts';

const page = join(import.meta.dirname, '..', '..', '..', 'docs', 'specification', 'failures.md');
const names = [
  'PORT',
  'GRAPHQL_PORT',
  'GRPC_PORT',
  'SOAP11_PORT',
  'SOAP12_PORT',
  'JSON_PORT',
  'MSGPACK_PORT',
  'NESTJS_PORT',
];
const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

const environments = ['development', 'production'] as const;

/** Takes connections and never answers. */
const silent = createServer(() => undefined);
const services = new Map<string, { readonly service: Scenario; readonly ports: Readonly<Record<string, number>> }>();
const seen = new Map<string, Pair>();

async function start(environment: string, isLimited: boolean): Promise<void> {
  const ports: Record<string, number> = {};
  for (const name of [...names, 'LIVE_PORT']) ports[name] = await freePort();
  const { port } = silent.address() as { readonly port: number };
  const texts = Object.entries(ports).map(([name, value]) => [name, String(value)]);
  const service = await startScenario(import.meta.dirname, {
    env: { ...Object.fromEntries(texts), SLOW_URL: `http://127.0.0.1:${port}` },
    args: ['-e', environment],
    prepare: (directory) => writeConfiguration(directory, isLimited),
    // The peer that never answers.
    isUnhealthy: true,
  });
  services.set(`${environment} ${isLimited}`, { service, ports });
}

beforeAll(async () => {
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  for (const isLimited of [false, true])
    await Promise.all(environments.map((environment) => start(environment, isLimited)));
  const [rest] = protocols as [(typeof protocols)[number]];
  for (const way of ways.filter(({ before }) => before !== undefined))
    for (const environment of environments) {
      const asking = () => ask(environment, rest, way);
      // One of two that ask has what the other one waits for, until the service ends.
      const second = way.before === 'asking' ? [asking()] : [];
      await Promise.race([asking(), ...second]);
      for (const each of second) each.catch(() => undefined);
    }
});
afterAll(async () => {
  for (const { service } of services.values()) await service.end();
  silent.close();
});

const serviceOf = (environment: string, { limits }: Way) => {
  const found = services.get(`${environment} ${limits !== undefined}`);
  if (found === undefined) throw new Error(`there is no service in ${environment}`);
  return found;
};

function ask(environment: string, { ask: askFor, port }: (typeof protocols)[number], way: Way): Promise<Seen> {
  return askFor(serviceOf(environment, way).ports[port] as number, way.name);
}

describe.concurrent.each(protocols)('over $title', (protocol) => {
  test.for(ways.filter((way) => isKnown(way, protocol)))('$name fails: $title', async (way, { expect }) => {
    const { name, hidden } = way;
    const [development, production] = await Promise.all([
      ask('development', protocol, way),
      ask('production', protocol, way),
    ]);
    const logOf = () => serviceOf('production', way).service.log;
    seen.set(`${name} ${protocol.title}`, { development, production });
    const isWrittenAsSuccess = name === 'mild' && protocol.title === 'REST';
    for (const { sign } of [development, production]) expect(protocol.success.test(sign)).toBe(isWrittenAsSuccess);
    const received = JSON.stringify(production);
    expect(received).not.toContain('secret_table');
    if (hidden === undefined) return;
    expect(production.text).toMatch(/^Internal Server Error/);
    const [id] = uuid.exec(received) ?? [];
    expect(id).toBeDefined();
    await until(() => logOf().includes(id as string));
    const [line, ...others] = logOf()
      .split('\n')
      .filter((each) => each.includes(id as string));
    expect(others).toEqual([]);
    expect(line).toMatch(hidden);
    expect(JSON.parse(line as string)).toMatchObject({ level: 'ERROR', request_id: id });
  });
});

test('the page says what clients received', async () => {
  await expect(pageOf(seen)).toMatchFileSnapshot(page);
});
