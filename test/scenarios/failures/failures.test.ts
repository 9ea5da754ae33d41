import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { until } from '../../support/until.ts';
import { type Scenario, startScenario } from '../scenario.ts';
import { protocols, type Seen } from './asking.ts';
import { writeConfiguration } from './configuration.ts';
import { type Pair, pageOf } from './page.ts';
import { ways } from './ways.ts';

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

/** Takes connections and never answers. */
const silent = createServer(() => undefined);
const services = new Map<string, { readonly service: Scenario; readonly ports: Readonly<Record<string, number>> }>();
const seen = new Map<string, Pair>();

async function start(environment: string): Promise<void> {
  const ports: Record<string, number> = {};
  for (const name of [...names, 'LIVE_PORT']) ports[name] = await freePort();
  const { port } = silent.address() as { readonly port: number };
  const texts = Object.entries(ports).map(([name, value]) => [name, String(value)]);
  const service = await startScenario(import.meta.dirname, {
    env: { ...Object.fromEntries(texts), SLOW_URL: `http://127.0.0.1:${port}` },
    args: ['-e', environment],
    prepare: writeConfiguration,
    // The peer that never answers.
    isUnhealthy: true,
  });
  services.set(environment, { service, ports });
}

beforeAll(async () => {
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  await Promise.all([start('development'), start('production')]);
});
afterAll(async () => {
  for (const { service } of services.values()) await service.end();
  silent.close();
});

async function ask(environment: string, { ask: askFor, port }: (typeof protocols)[number], way: string): Promise<Seen> {
  const { ports } = services.get(environment) as { readonly ports: Readonly<Record<string, number>> };
  return askFor(ports[port] as number, way);
}

const logOf = (environment: string) => services.get(environment)?.service.log ?? '';

describe.each(protocols)('over $title', (protocol) => {
  test.each(ways)('$name fails: $title', async ({ name, hidden }) => {
    const development = await ask('development', protocol, name);
    const production = await ask('production', protocol, name);
    seen.set(`${name} ${protocol.title}`, { development, production });
    const isWrittenAsSuccess = name === 'mild' && protocol.title === 'REST';
    for (const { sign } of [development, production]) expect(protocol.success.test(sign)).toBe(isWrittenAsSuccess);
    const received = JSON.stringify(production);
    expect(received).not.toContain('secret_table');
    if (hidden === undefined) return;
    expect(production.text).toMatch(/^Internal Server Error/);
    const [id] = uuid.exec(received) ?? [];
    expect(id).toBeDefined();
    await until(() => logOf('production').includes(id as string));
    const [line, ...others] = logOf('production')
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
