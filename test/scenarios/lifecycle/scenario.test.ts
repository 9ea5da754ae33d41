import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { faultProxy } from '../../support/proxy.ts';
import { runCommand } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { ask, copyConfiguration, type Scenario, startScenario } from '../scenario.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

let remote: Upstream;
/** Answers of the other service that a test has not given yet. */
let held: ServerResponse[] = [];
const running: Scenario[] = [];

beforeAll(async () => {
  remote = await startUpstream();
});

beforeEach(() => {
  held = [];
  remote.received.length = 0;
  remote.react = () => (response) => void held.push(response);
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.end()));
});

afterAll(() => remote?.close());

async function start(env: Record<string, string> = {}, args: readonly string[] = []): Promise<Scenario> {
  const service = await startScenario(import.meta.dirname, { env: { REMOTE_URL: remote.address, ...env }, args });
  running.push(service);
  return service;
}

const release = () => {
  for (const response of held.splice(0)) response.setHeader('content-type', 'application/json').end('{"done":true}');
};

const version = (value: string) =>
  readFileSync(join(import.meta.dirname, 'version.hcl'), 'utf8').replace("'0'", `'${value}'`);

/**
 * Asks again and again on several connections until it is stopped; resolves with how often each answer came. The
 * short pauses keep the machine from being what is tested.
 */
function load(
  address: string,
  path: string,
): { has(answer: string): boolean; stop(): Promise<ReadonlyMap<string, number>> } {
  const answers = new Map<string, number>();
  let loading = true;
  const asking = Array.from({ length: 6 }, async () => {
    while (loading) {
      const answer = await ask('GET', address + path).then(
        ({ status, text }) => `${status} ${text}`,
        (error: Error) => `failed: ${error.cause ?? error}`,
      );
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  });
  return {
    has: (answer) => answers.has(answer),
    async stop() {
      loading = false;
      await Promise.all(asking);
      return answers;
    },
  };
}

describe('reloading', () => {
  const shows = async (service: Scenario, value: string) =>
    until(async () => (await service.ask('GET', '/version')).text === `{"version":"${value}"}`);

  test('R-85: no request fails while files change again and again', async () => {
    const service = await start();
    const loaded = load(service.address, '/version');
    const expected = ['0'];
    for (let round = 1; round <= 12; round++) {
      expected.push(String(round));
      service.write('version.hcl', version(String(round)));
      await until(() => loaded.has(`200 {"version":"${round}"}`));
    }
    const answers = [...(await loaded.stop()).keys()].sort();
    expect(answers).toEqual(expected.map((value) => `200 {"version":"${value}"}`).sort());
    expect(await service.metric('svc_reloads_total')).toBeGreaterThanOrEqual(12);
    expect((await service.metric('svc_reload_failures_total')) ?? 0).toBe(0);
  });

  test('R-18, R-87: what is broken, invalid or out of reach leaves the old configuration serving', async () => {
    const service = await start();
    const loaded = load(service.address, '/version');
    const port = await freePort();
    const unreachable = `connector "gone" {\n  type = "database"\n  driver = "postgres"\n  url = "postgres://a:b@127.0.0.1:${port}/x"\n}\n`;
    const broken: [file: string, text: string, said: RegExp][] = [
      ['version.hcl', 'flow "version" {', /version\.hcl/],
      ['version.hcl', version('x').replace('"api"', '"apl"'), /apl/],
      ['version.hcl', version('x').replace('response', 'respond'), /respond/],
      ['gone.hcl', unreachable, /gone/],
    ];
    for (const [index, [file, text, said]] of broken.entries()) {
      const from = service.log.length;
      service.write(file, text);
      await until(async () => ((await service.metric('svc_reload_failures_total')) ?? 0) > index);
      const said_ = await until(() => {
        const added = service.log.slice(from);
        return said.test(added) && / ERR /.test(added) ? added : undefined;
      });
      expect(said_).not.toContain('a:b@');
    }
    expect([...(await loaded.stop()).keys()]).toEqual(['200 {"version":"0"}']);
    expect((await ask('GET', `${service.admin}/health/ready`)).status).toBe(200);
    rmSync(join(service.directory, 'gone.hcl'));
    service.write('version.hcl', version('whole'));
    await shows(service, 'whole');
  });

  test('R-85: a request under way ends as it began; new files and removed ones count', async () => {
    const service = await start();
    const asked = service.ask('GET', '/slow/one');
    await until(() => held.length === 1);
    const text = readFileSync(join(service.directory, 'slow.hcl'), 'utf8');
    service.write('slow.hcl', text.replace("'first'", "'second'"));
    service.write('added.hcl', version('added').replaceAll('version', 'added'));
    await until(async () => (await service.ask('GET', '/added')).status === 200);
    const second = service.ask('GET', '/slow/two');
    await until(() => held.length === 2);
    release();
    expect([(await asked).body, (await second).body]).toEqual([
      { remote: true, by: 'first' },
      { remote: true, by: 'second' },
    ]);
    rmSync(join(service.directory, 'added.hcl'));
    await until(async () => (await service.ask('GET', '/added')).status === 404);
    expect((await service.ask('GET', '/version')).status).toBe(200);
  });

  test('SIGHUP reloads where files are not watched', async () => {
    const service = await start({}, ['--no-hot-reload']);
    service.write('version.hcl', version('by hand'));
    process.kill(service.pid, 'SIGHUP');
    await shows(service, 'by hand');
  });
});

describe('health', () => {
  test('R-89: liveness never depends on others, readiness does, and both answer at once', async () => {
    const proxy = await faultProxy({ port: Number(new URL(remote.address).port) });
    const service = await start({ REMOTE_URL: `http://127.0.0.1:${proxy.port}` });
    const row = async () => {
      const began = performance.now();
      const [live, ready, health] = await Promise.all(
        ['/health/live', '/health/ready', '/health'].map((path) => service.ask('GET', path)),
      );
      const took = performance.now() - began;
      const { components, ...rest } = health!.body as { components: Record<string, { status: string }> };
      return {
        live: [live!.status, live!.body],
        ready: [ready!.status, ready!.body],
        health: [health!.status, rest],
        remote: components['remote']?.status,
        prompt: took < 500,
      };
    };
    const becomes = (status: string) => until(async () => (await row()).remote === status);
    const rest = (status: string) => ({
      status,
      service: 'lifecycle',
      version: '4.5.6',
      uptime: expect.any(Number),
      timestamp: expect.any(String),
    });
    const alive = [200, { status: 'alive' }];
    const ready = [200, { status: 'ready' }];
    const sick = [503, { status: 'not_ready', reason: 'connector "remote" is unhealthy' }];
    const healthy = { live: alive, ready, health: [200, rest('healthy')], remote: 'healthy', prompt: true };
    const unhealthy = { live: alive, ready: sick, health: [503, rest('unhealthy')], remote: 'unhealthy', prompt: true };

    expect(await row()).toEqual(healthy);
    proxy.latency = 700;
    await becomes('degraded');
    const degraded = { live: alive, ready, health: [200, rest('degraded')], remote: 'degraded', prompt: true };
    expect(await row()).toEqual(degraded);

    proxy.latency = 0;
    proxy.fault = 'blackhole';
    await becomes('unhealthy');
    expect(await row()).toEqual(unhealthy);
    expect(await service.metric('svc_connector_health{connector="remote",type="http"}')).toBe(0);
    expect((await service.ask('GET', '/version')).status).toBe(200);
    proxy.fault = 'pass';
    proxy.reset();
    await becomes('healthy');
    await proxy.close();
  });

  test('R-89: it is the same on the admin port, which changes nothing', async () => {
    const service = await start();
    const onAdmin = (path: string, method = 'GET') => ask(method, service.admin + path);
    expect((await onAdmin('/health/live')).body).toEqual({ status: 'alive' });
    expect((await onAdmin('/health')).headers).toMatchObject({ 'cache-control': 'no-store' });
    for (const path of ['/', '/health', '/metrics', '/version', '/health/ready'])
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
        expect([404, 405]).toContain((await onAdmin(path, method)).status);
    expect((await onAdmin('/version')).status).toBe(404);
  });
});

describe('stopping', () => {
  test('R-81: readiness goes first, requests are served on, what is under way ends, then the process', async () => {
    const service = await start({ STOP_DELAY: '700ms' });
    const idle = connect(Number(new URL(service.address).port), '127.0.0.1');
    idle.on('error', () => undefined);
    const asked = service.ask('GET', '/slow/one');
    await until(() => held.length === 1);
    const ended = service.stop();
    await until(async () => (await ask('GET', `${service.admin}/health/ready`)).status === 503);
    expect((await ask('GET', `${service.admin}/health/ready`)).body).toEqual({
      status: 'not_ready',
      reason: 'shutting down',
    });
    expect((await ask('GET', `${service.admin}/health/live`)).status).toBe(200);
    expect((await service.ask('GET', '/version')).status).toBe(200);
    await until(() => refused(service.address));
    release();
    expect((await asked).body).toEqual({ remote: true, by: 'first' });
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(service.log).toMatch(/stopped clean=true cut=0/);
    expect(service.log).not.toMatch(/ ERR /);
    idle.destroy();
  });

  test('R-82: connections that are kept open do not delay the end', async () => {
    const service = await start();
    const { port } = new URL(service.address);
    const sockets = await Promise.all(
      Array.from({ length: 5 }, async (_, index) => {
        const socket = connect(Number(port), '127.0.0.1');
        socket.on('error', () => undefined);
        if (index % 2 === 0) {
          socket.write('GET /version HTTP/1.1\r\nHost: x\r\n\r\n');
          await new Promise((resolve) => socket.once('data', resolve));
        }
        return socket;
      }),
    );
    const began = performance.now();
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    expect(performance.now() - began).toBeLessThan(3_000);
    for (const socket of sockets) socket.destroy();
  });

  test('R-82: what does not end in time is cut off, reported and logged', async () => {
    const service = await start({ STOP_TIMEOUT: '1s' });
    const asked = service.ask('GET', '/slow/never').then(
      ({ status }) => status,
      () => 'cut',
    );
    await until(() => held.length === 1);
    expect(await service.stop()).toEqual({ code: 1, signal: null });
    expect([503, 'cut']).toContain(await asked);
    expect(service.log).toMatch(/ERR cut off what did not finish in time.*requests=1/);
  });

  test('R-39: a second signal ends it at once and without noise', async () => {
    const service = await start();
    const asked = service.ask('GET', '/slow/never').catch(() => 'cut');
    await until(() => held.length === 1);
    process.kill(service.pid, 'SIGTERM');
    await until(() => service.log.includes('stopping'));
    expect(await service.stop('SIGTERM')).toEqual({ code: 143, signal: null });
    await asked;
    expect(service.log).not.toMatch(/unhandled|not handled|not caught/i);
  });

  test('R-81: a rolling restart under load fails no request', async () => {
    const first = await start({ STOP_DELAY: '300ms' });
    const proxy = await balancer(first);
    const loaded = load(proxy.address, '/version');
    let old = first;
    for (let round = 0; round < 3; round++) {
      const next = await start({ STOP_DELAY: '300ms' });
      proxy.to(next);
      expect(await old.stop()).toEqual({ code: 0, signal: null });
      old = next;
    }
    expect([...(await loaded.stop()).keys()]).toEqual(['200 {"version":"0"}']);
    proxy.close();
  });

  const refused = (address: string) =>
    new Promise<boolean>((resolve) => {
      const socket = connect(Number(new URL(address).port), '127.0.0.1');
      socket.on('connect', () => resolve(false));
      socket.on('error', () => resolve(true));
      socket.on('close', () => socket.destroy());
      socket.end();
    });
});

/** Hands new connections to the service that is named last. */
async function balancer(first: Scenario) {
  let target = first;
  const server = createServer((client) => {
    const upstream = connect(Number(new URL(target.address).port), '127.0.0.1');
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    to: (next: Scenario) => {
      target = next;
    },
    close: () => void server.close(),
  };
}

describe('starting', () => {
  const configurations: string[] = [];
  const copy = () => {
    const directory = copyConfiguration(import.meta.dirname);
    configurations.push(directory);
    return directory;
  };
  afterEach(() => {
    for (const directory of configurations.splice(0)) rmSync(directory, { recursive: true, force: true });
  });

  test('R-19: a port in use ends it before it says that it is ready', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, resolve));
    const { port } = taken.address() as AddressInfo;
    const ports = { PORT: String(port), ADMIN_PORT: '0', REMOTE_URL: remote.address };
    const onPort = await runCommand(['start', '-c', copy()], ports);
    expect(onPort.code).toBe(1);
    expect(onPort.stderr).toMatch(new RegExp(`"api\\\\" cannot listen on port ${port}: another program`));
    expect(onPort.stderr).not.toMatch(/INF ready/);
    const onAdmin = await runCommand(['start', '-c', copy()], { ...ports, PORT: '0', ADMIN_PORT: String(port) });
    expect(onAdmin.code).toBe(1);
    expect(onAdmin.stderr).toContain(String(port));
    taken.close();
  });

  test('R-100: validate and start tell the same problems, all of them, and open nothing', async () => {
    const directory = copy();
    const add = (file: string, text: string) => writeFileSync(join(directory, file), text);
    add('a.hcl', 'flow "twice" {\n  from {\n    connector = "apl"\n  }\n}\n');
    add(
      'b.hcl',
      'flow "twice" {\n  from {\n    connector = "api"\n    operation = "GET /b"\n    colour = "red"\n  }\n}\n',
    );
    add('c.hcl', 'connector "db" {\n  type = "database"\n  driver = "sqlite"\n}\nconnector "m" {\n  type = "ftp"\n}\n');
    add('d.hcl', 'flow "open" {\n}\n');
    const problems = (text: string) => [...text.matchAll(/^error\[[\w-]+\]: .*\n +--> .*$/gm)].map(([found]) => found);
    const env = { PORT: '0', ADMIN_PORT: '0', REMOTE_URL: remote.address };
    const validated = await runCommand(['validate', '-c', directory], env);
    const started = await runCommand(['start', '-c', directory], env);
    expect([validated.code, started.code]).toEqual([1, 1]);
    expect(problems(validated.stdout + validated.stderr).length).toBeGreaterThanOrEqual(5);
    expect(problems(started.stderr)).toEqual(problems(validated.stdout + validated.stderr));
    expect(remote.received).toEqual([]);
    expect((await runCommand(['validate', '-c', copy()])).code).toBe(0);
    expect((await runCommand(['validate', '-c', join(directory, 'nowhere')])).code).toBe(2);
  });

  test('a connector that cannot be reached is reported with its reason', async () => {
    const directory = copy();
    const port = await freePort();
    const url = `postgres://absent:pass-word@127.0.0.1:${port}/x`;
    writeFileSync(
      join(directory, 'db.hcl'),
      `connector "db" {\n  type   = "database"\n  driver = "postgres"\n  url    = "${url}"\n}\n`,
    );
    const { code, stderr } = await runCommand(['start', '-c', directory], {
      PORT: '0',
      ADMIN_PORT: '0',
      REMOTE_URL: remote.address,
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/connector cannot be used.*connector=db/);
    expect(stderr).toMatch(/refused/i);
    expect(stderr).not.toContain('pass-word');
  });
});

describe('errors that are not caught', () => {
  const thrower = (code: string) => `--import="data:text/javascript,process.on('SIGUSR2',()=>${code})"`;

  for (const [kind, code, said] of [
    ['an exception', `setImmediate(()=>{throw%20new%20Error('stray')})`, /ERR an error was not caught.*stray/],
    ['a rejection', `void%20Promise.reject(new%20Error('stray'))`, /ERR a rejected promise was not handled.*stray/],
  ] as const)
    test(`R-88: after ${kind} the service logs it, ends its requests and goes`, async () => {
      const service = await start({ NODE_OPTIONS: thrower(code) });
      const asked = service.ask('GET', '/slow/one');
      await until(() => held.length === 1);
      process.kill(service.pid, 'SIGUSR2');
      await until(() => said.test(service.log));
      release();
      expect((await asked).body).toEqual({ remote: true, by: 'first' });
      expect(await service.stop('SIGCONT')).toEqual({ code: 1, signal: null });
    });
});

describe('several processes', () => {
  test('serve one port, merge what they know, and end together', async () => {
    const service = await start({}, ['--workers', '2']);
    const answers = await Promise.all(Array.from({ length: 40 }, () => service.ask('GET', '/version')));
    expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(['{"version":"0"}']));
    expect((await ask('GET', `${service.admin}/health`)).body).toMatchObject({
      status: 'healthy',
      service: 'lifecycle',
    });
    const series = 'svc_requests_total{service="lifecycle",method="GET",path="/version",status="200"}';
    await until(async () => (await service.metric(series)) === 40);
    service.write('version.hcl', version('next'));
    await until(async () => {
      const now = await Promise.all(Array.from({ length: 10 }, () => service.ask('GET', '/version')));
      return now.every(({ text }) => text === '{"version":"next"}');
    });
    const asked = service.ask('GET', '/slow/one');
    await until(() => held.length === 1);
    const ended = service.stop();
    await until(() => service.log.includes('stopping'));
    release();
    expect((await asked).body).toEqual({ remote: true, by: 'first' });
    expect(await ended).toEqual({ code: 0, signal: null });
  });
});
