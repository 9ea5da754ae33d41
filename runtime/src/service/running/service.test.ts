import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { freePort } from '../../../../test/support/free-port.ts';
import type { Plan } from '../../foundation/contracts/plan.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import type { UnreachableProblem } from './problems.ts';
import { createService, type Service } from './service.ts';
import type { Loaded, ServiceSetup } from './setup.ts';
import { ask, type Events, fakePlan, fakeServer, fakeTarget, loaded, planned, setup, until } from './testing/fakes.ts';

const started: Service[] = [];

afterEach(async () => {
  await Promise.all(started.splice(0).map((service) => service.stop()));
});

async function start(load: () => Loaded | Promise<Loaded>, own: Partial<ServiceSetup> = {}) {
  const { parts, lines } = setup(load, own);
  const service = createService(parts);
  started.push(service);
  const report = await service.start();
  return { service, report, lines, port: report.addresses.get('api')?.port ?? 0, admin: report.admin?.port ?? 0 };
}

/** A service with one server, whose answer names the version of the configuration, and one target. */
function simple(events: Events, version = '1', target: { open?: () => Promise<void>; fingerprint?: string } = {}) {
  return fakePlan(
    [
      planned('api', () => fakeServer('api', events, () => version), `api ${version}`),
      planned('db', () => fakeTarget('db', events, target.open && { open: target.open }), target.fingerprint),
    ],
    { list: 'api' },
  );
}

describe('start', () => {
  test('opens targets before sources, then listens, then takes messages', async () => {
    const events: Events = [];
    const { port, report } = await start(() => loaded(simple(events)));
    expect(events).toEqual(['bind api list', 'open db', 'open api', 'start api']);
    expect(await ask(port, '/anything')).toMatchObject({ status: 200, body: '1' });
    expect({ connectors: report.connectors, flows: report.flows }).toEqual({ connectors: 2, flows: 1 });
  });

  test('R-87: every connector that cannot be opened is reported in one error, and nothing stays open', async () => {
    const events: Events = [];
    const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
    const plan = fakePlan([
      planned('a', () => fakeTarget('a', events, { open: () => Promise.reject(refused) })),
      planned('b', () => fakeTarget('b', events, { open: () => new Promise(() => undefined) })),
      planned('c', () => {
        throw new Failure('connector_failed', 'password authentication failed for user "x"');
      }),
      planned('d', () => fakeTarget('d', events)),
    ]);
    const { parts } = setup(() => loaded(plan), { openTimeout: 20 });
    const problem = await createService(parts)
      .start()
      .catch((error: unknown) => error);
    expect((problem as UnreachableProblem).unreachable).toMatchObject([{ connector: 'c', obstacle: 'credentials' }]);
    const without = fakePlan(plan.connectors.filter(({ name }) => name !== 'c'));
    const later = (await createService(setup(() => loaded(without), { openTimeout: 20 }).parts)
      .start()
      .catch((error: unknown) => error)) as UnreachableProblem;
    expect(later.unreachable.map(({ connector, obstacle, reason }) => ({ connector, obstacle, reason }))).toEqual([
      { connector: 'a', obstacle: 'refused', reason: 'connection refused: connect ECONNREFUSED 127.0.0.1:5432' },
      { connector: 'b', obstacle: 'timeout', reason: 'no response within 0.02 s' },
    ]);
    expect(events.filter((event) => event.startsWith('close')).sort()).toEqual([
      'close a',
      'close a',
      'close b',
      'close b',
      'close d',
      'close d',
    ]);
  });

  test('R-19: a port in use fails the start and names the port', async () => {
    const first = await start(() => loaded(simple([])));
    const events: Events = [];
    const plan = fakePlan([
      planned('api', () => fakeServer('api', events, () => '', { host: '127.0.0.1', port: first.port })),
    ]);
    await expect(createService(setup(() => loaded(plan)).parts).start()).rejects.toThrow(
      `connector "api" cannot listen on port ${first.port} of 127.0.0.1: another program is listening there`,
    );
    expect(events.at(-1)).toBe('close api');
    const admin = setup(() => loaded(simple([]), { adminPort: first.admin }));
    await expect(createService(admin.parts).start()).rejects.toThrow(
      `the admin server cannot listen on port ${first.admin} of 127.0.0.1: another program is listening there`,
    );
  });
});

describe('health and metrics', () => {
  test('are the same on the admin port and on the server port', async () => {
    const { port, admin } = await start(() => loaded(simple([]), { name: 'orders', version: '2.0.0' }));
    for (const at of [port, admin]) {
      expect(await ask(at, '/health/live')).toMatchObject({ status: 200, body: '{"status":"alive"}' });
      expect(await ask(at, '/health/ready')).toMatchObject({ status: 200, body: '{"status":"ready"}' });
      const health = await ask(at, '/health');
      expect({ ...JSON.parse(health.body), timestamp: '' }).toEqual({
        status: 'healthy',
        service: 'orders',
        version: '2.0.0',
        uptime: 0,
        timestamp: '',
        components: { api: { status: 'healthy', latency_ms: 0 }, db: { status: 'healthy', latency_ms: 0 } },
      });
      const metrics = (await ask(at, '/metrics')).body;
      expect(metrics).toContain(
        'svc_service_info{service="orders",version="2.0.0",svc_version="1.2.3",environment="development"} 1\n',
      );
      expect(metrics).toContain('svc_connector_health{connector="db",type="fake"} 1\n');
    }
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'OPTIONS'])(
    'S-08: the admin server changes nothing by %s',
    async (method) => {
      const { admin } = await start(() => loaded(simple([])));
      const paths = ['/health', '/health/live', '/health/ready', '/metrics', '/debug', '/workflows/1', '/'];
      const statuses = await Promise.all(paths.map(async (path) => (await ask(admin, path, method)).status));
      expect(statuses).toEqual([405, 405, 405, 405, 404, 404, 404]);
    },
  );
});

describe('reload', () => {
  test('R-85: requests never fail, the socket stays, unchanged targets stay open', async () => {
    const events: Events = [];
    let version = 0;
    const { service, port } = await start(() => loaded(simple(events, String(++version))));
    let stop = false;
    const bodies: string[] = [];
    const load = (async () => {
      while (!stop) bodies.push((await ask(port, '/x')).body);
    })();
    for (let count = 0; count < 20; count++) expect(await service.reload()).toBe(true);
    await until(async () => (await ask(port, '/x')).body === '21');
    stop = true;
    await load;
    expect(service.addresses.get('api')?.port).toBe(port);
    expect(bodies.every((body) => /^\d+$/.test(body))).toBe(true);
    expect(events.filter((event) => event === 'open db')).toHaveLength(1);
    expect(events).not.toContain('close db');
    await until(() => events.filter((event) => event === 'close api').length === 20);
  });

  test('a target whose block changed is opened again and the old one is closed when it is no longer used', async () => {
    const events: Events = [];
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = fakePlan([
      planned('api', () => fakeServer('api', events, () => held.then(() => 'old')), 'slow api'),
      planned('db', () => fakeTarget('db', events), 'one'),
    ]);
    const plans = [slow, simple(events, 'new', { fingerprint: 'two' })];
    const { service, port } = await start(() => loaded(plans.shift() as typeof slow));
    const old = ask(port, '/slow');
    await until(() => service.underWay === 1);
    await service.reload();
    expect((await ask(port, '/x')).body).toBe('new');
    expect(events).not.toContain('close db');
    release();
    expect(await old).toMatchObject({ status: 200, body: 'old' });
    await until(() => events.includes('close db'));
  });

  test('R-85: a server whose block is unchanged stays open, and its flows are bound again', async () => {
    const events: Events = [];
    const plan = () => fakePlan([planned('api', () => fakeServer('api', events, () => 'x'))], { list: 'api' });
    const { service, port } = await start(() => loaded(plan()));
    expect(await service.reload()).toBe(true);
    expect((await ask(port, '/x')).body).toBe('x');
    expect(events).toEqual(['bind api list', 'open api', 'start api', 'bind api list']);
  });

  test('connectors of one address share a socket, and a reload may add one to it', async () => {
    const at = { host: '127.0.0.1', port: await freePort() };
    const servers = ['a', 'b'].map((name) =>
      planned(name, () => fakeServer(name, [], () => name, at, `/${name}`), `${name} ${at.port}`),
    );
    const plans = [fakePlan(servers.slice(0, 1)), fakePlan(servers)];
    const { service, report } = await start(() => loaded(plans.shift() as Plan));
    expect([...report.addresses]).toEqual([['a', at]]);
    expect((await ask(at.port, '/b')).status).toBe(404);
    expect(await service.reload()).toBe(true);
    expect([...service.addresses]).toEqual([
      ['a', at],
      ['b', at],
    ]);
    expect([(await ask(at.port, '/a')).body, (await ask(at.port, '/b')).body]).toEqual(['a', 'b']);
  });

  test('R-18: a broken configuration is refused while the old one serves', async () => {
    const diagnostic = {
      code: 'unknown-block',
      severity: 'error',
      family: 'config',
      message: 'there is no block "flwo"',
      file: 'main.hcl',
      range: { start: 0, end: 4 },
    } as const;
    const broken: Loaded = { files: [], diagnostics: [diagnostic], ready: undefined };
    const loads = [loaded(simple([])), broken];
    const { service, port, admin, lines } = await start(() => loads.shift() as Loaded);
    expect(await service.reload()).toBe(false);
    expect(await ask(port, '/x')).toMatchObject({ status: 200, body: '1' });
    expect((await ask(admin, '/metrics')).body).toContain('svc_reload_failures_total 1\n');
    expect(lines.filter(({ level }) => level === 'error')).toMatchObject([
      { message: 'there is no block "flwo"', fields: { code: 'unknown-block', at: 'main.hcl:1:1' } },
      { message: 'reload failed, the earlier configuration keeps serving' },
    ]);
  });

  test('R-87: a connector that cannot be reached leaves the old configuration untouched', async () => {
    const events: Events = [];
    const gone = () => Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
    const plans = [simple(events), simple(events, '2', { open: gone, fingerprint: 'changed' })];
    const { service, port } = await start(() => loaded(plans.shift() as ReturnType<typeof simple>));
    expect(await service.reload()).toBe(false);
    expect((await ask(port, '/x')).body).toBe('1');
    expect(service.report().notReady).toBe(undefined);
  });

  test('requests for reloads while one runs are one reload, which sees the last state', async () => {
    let loads = 0;
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { service, port } = await start(async () => {
      loads++;
      const plan = simple([], String(loads));
      if (loads === 2) await gate;
      return loaded(plan);
    });
    const all = [service.reload(), service.reload(), service.reload(), service.reload()];
    release();
    expect(await Promise.all(all)).toEqual([true, true, true, true]);
    expect(loads).toBe(3);
    expect((await ask(port, '/x')).body).toBe('3');
  });

  test('a changed port opens its new socket and closes the old one', async () => {
    const events: Events = [];
    const on = (port: number) =>
      fakePlan([
        planned('api', () => fakeServer('api', events, () => 'x', { host: '127.0.0.1', port }), `api at ${port}`),
      ]);
    const plans = [on(0)];
    const { service, port } = await start(() => loaded(plans.shift() as ReturnType<typeof on>));
    const other = await start(() => loaded(simple([])));
    plans.push(on(other.port));
    expect(await service.reload()).toBe(false);
    expect((await ask(port, '/')).status).toBe(200);
    await other.service.stop();
    plans.push(on(other.port));
    expect(await service.reload()).toBe(true);
    expect((await ask(other.port, '/')).status).toBe(200);
    await until(() =>
      ask(port, '/').then(
        () => false,
        () => true,
      ),
    );
  });
});

describe('shutdown', () => {
  test('R-81: readiness turns red first, what is in progress is answered, then targets close', async () => {
    const events: Events = [];
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const plan = fakePlan([
      planned('db', () => fakeTarget('db', events)),
      planned('api', () => fakeServer('api', events, () => held.then(() => 'late'))),
    ]);
    const { service, port, admin } = await start(() => loaded(plan, { shutdown: { delay: 50, timeout: 5_000 } }));
    const phases: string[] = [];
    service.lifecycle.onChange((phase) => phases.push(phase));
    const under = ask(port, '/slow');
    await until(() => service.underWay === 1);
    const stopped = service.stop();
    expect(await ask(admin, '/health/ready')).toMatchObject({
      status: 503,
      body: '{"status":"not_ready","reason":"shutting down"}',
    });
    expect((await ask(admin, '/health/live')).status).toBe(200);
    await until(() => service.lifecycle.phase === 'draining');
    expect(events).not.toContain('close db');
    release();
    expect(await under).toMatchObject({ status: 200, body: 'late' });
    expect(await stopped).toEqual({ clean: true, cut: 0 });
    expect(events.slice(-3)).toEqual(['stop api', 'close api', 'close db']);
    expect(phases).toEqual(['stopping', 'draining', 'drained', 'stopped']);
  });

  test('R-81: while readiness is refused, requests are served and their connections are closed', async () => {
    const { service, port } = await start(() => loaded(simple([]), { shutdown: { delay: 10_000, timeout: 60_000 } }));
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const first = await ask(port, '/x', 'GET', agent);
    const stopped = service.stop();
    const second = await ask(port, '/x', 'GET', agent);
    expect([first.connection, second.connection, second.body]).toEqual(['keep-alive', 'close', '1']);
    expect((await ask(port, '/x', 'GET', agent)).status).toBe(200);
    agent.destroy();
    void service.stop();
    expect(await stopped).toEqual({ clean: true, cut: 0 });
  });

  test('R-82: connections that are kept alive and idle do not delay the end', async () => {
    const { service, port, admin } = await start(() => loaded(simple([])));
    const agent = new Agent({ keepAlive: true });
    for (const at of [port, admin]) expect(await ask(at, '/health/live', 'GET', agent)).toMatchObject({ status: 200 });
    const connected = new Promise<Socket>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(socket)).on('error', reject);
    });
    const silent = await connected;
    const ended = new Promise<void>((resolve) => silent.on('close', () => resolve()));
    silent.on('error', () => undefined);
    expect(await service.stop()).toEqual({ clean: true, cut: 0 });
    await ended;
    agent.destroy();
  });

  test('R-82: what does not finish in time is cut off and logged', async () => {
    const plan = fakePlan([planned('api', () => fakeServer('api', [], () => new Promise<string>(() => undefined)))]);
    const { service, port, lines } = await start(() => loaded(plan, { shutdown: { delay: 0, timeout: 200 } }));
    const under = ask(port, '/never').catch((error: unknown) => error);
    await until(() => service.underWay === 1);
    expect(await service.stop()).toEqual({ clean: false, cut: 1 });
    expect(await under).toBeInstanceOf(Error);
    expect(lines.filter(({ level }) => level === 'error')).toMatchObject([
      { message: 'cut off what did not finish in time', fields: { requests: 1 } },
    ]);
  });

  test('R-39: a second stop aborts what is in progress, and stopping twice is harmless', async () => {
    const plan = fakePlan([planned('api', () => fakeServer('api', [], () => new Promise<string>(() => undefined)))]);
    const { service, port } = await start(() => loaded(plan, { shutdown: { delay: 60_000, timeout: 1_000 } }));
    const under = ask(port, '/never').catch((error: unknown) => error);
    await until(() => service.underWay === 1);
    const first = service.stop();
    const second = service.stop();
    expect(second).toBe(first);
    expect((await second).cut).toBe(1);
    expect(await under).toBeInstanceOf(Error);
    expect(await service.stop()).toEqual(await first);
  });
});
