import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../../../test/support/free-port.ts';
import { type FaultProxy, faultProxy } from '../../../../../test/support/proxy.ts';
import { until } from '../../../../../test/support/until.ts';
import { MysqlDatabase, mysqlUrl } from '../../../connectors/database/mysql/testing/database.ts';
import { postgresUrl } from '../../../connectors/database/testing/postgres.ts';
import { natsUrl } from '../../../connectors/mq/nats/testing/bed.ts';
import { redisUrl } from '../../../connectors/mq/pubsub/testing/bed.ts';
import { brokerUrl, TestQueue } from '../../../connectors/mq/testing/broker.ts';
import { memoryLog } from '../testing/fakes.ts';
import { startText, type TextService } from '../testing/text-service.ts';

const api = `
connector "api" {
  type = "rest"
  host = "127.0.0.1"
  port = env("PORT")
}
flow "ok" {
  from {
    connector = "api"
    operation = "GET /ok"
  }
  response {
    ok = "true"
  }
}
`;

const jobs = (words: string, health = 'optional') => `
connector "jobs" {
  type            = "mq"
  driver          = "rabbitmq"
  url             = env("AMQP")
  reconnect_delay = "20ms"
  health          = "${health}"
  ${words}
}
`;

/** Sends what it is asked for to the queue, and takes it from there. */
const flows = (queue: string) => `
flow "send" {
  from {
    connector = "api"
    operation = "POST /send"
  }
  transform {
    v = "input.v"
  }
  to {
    connector = "jobs"
    target    = "${queue}"
  }
}
connector "kept" {
  type   = "cache"
  driver = "memory"
}
flow "take" {
  from {
    connector = "jobs"
  }
  step "keep" {
    connector = "kept"
    operation = "set"
    params = { key = "'v'", value = "input.body.v" }
  }
}
flow "look" {
  from {
    connector = "api"
    operation = "GET /kept"
  }
  step "found" {
    connector = "kept"
    operation = "get"
    params = { key = "'v'" }
  }
  response {
    v = "step.found"
  }
}
`;

async function refusing(url: string): Promise<{ readonly proxy: FaultProxy; readonly url: string }> {
  const at = new URL(url);
  const proxy = await faultProxy({ host: at.hostname, port: Number(at.port) });
  onTestFinished(() => proxy.close());
  proxy.fault = 'refuse';
  at.host = `127.0.0.1:${proxy.port}`;
  return { proxy, url: at.href };
}

async function started(text: string, environment: Readonly<Record<string, string>>, log = memoryLog().log) {
  const service = await startText(text, environment, { log });
  onTestFinished(() => service.stop());
  return service;
}

function healthOf({ service }: TextService, name: string) {
  return service.report().components[name];
}

describe.skipIf(brokerUrl === undefined)('an optional broker that is unavailable', () => {
  async function queueAway() {
    const queue = await TestQueue.declare();
    onTestFinished(() => queue.end());
    return { queue, ...(await refusing(brokerUrl as string)) };
  }

  test('is opened when it is there, with its source', async () => {
    const { queue, proxy, url } = await queueAway();
    const { log, lines } = memoryLog();
    const text = api + jobs(`consumer {\n    queue = "${queue.name}"\n  }`) + flows(queue.name);
    const service = await started(text, { AMQP: url }, log);
    expect(await service.ask('GET', '/ok')).toEqual({ status: 200, body: { ok: true } });
    await until(() => healthOf(service, 'jobs')?.status === 'degraded');
    expect(healthOf(service, 'jobs')?.message).toMatch(
      /^connector "jobs" is unavailable since \d{4}-.*: 127\.0\.0\.1:\d+: .*ECONNRESET/,
    );
    const refused = await service.ask('POST', '/send', { v: 'early' });
    expect(refused).toEqual({
      status: 500,
      body: { error: expect.stringContaining('connector "jobs" is unavailable since'), code: 'connector_refused' },
    });
    await until(() => proxy.refused > 3);
    const warned = lines.filter(
      ({ level, message, fields }) =>
        ['warn', 'error'].includes(level) && message !== 'request' && fields['connector'] === 'jobs',
    );
    expect(warned).toEqual([expect.objectContaining({ level: 'warn', message: 'connector is unhealthy' })]);
    proxy.fault = 'pass';
    await until(async () => (await service.ask('POST', '/send', { v: 'late' })).status === 200);
    await until(async () => (await service.ask('GET', '/kept')).body, AbortSignal.timeout(30_000));
    expect(await service.ask('GET', '/kept')).toEqual({ status: 200, body: { v: 'late' } });
  });

  test('is added by a reload, and still tried after another one', async () => {
    const { queue, proxy, url } = await queueAway();
    const block = jobs(`consumer {\n    queue = "${queue.name}"\n  }`);
    const service = await started(api, { AMQP: url });
    expect(await service.reload(api + block + flows(queue.name))).toBe(true);
    expect(await service.reload(`${api + block + flows(queue.name)}\n# another`)).toBe(true);
    proxy.fault = 'pass';
    await until(async () => (await service.ask('POST', '/send', { v: 'late' })).status === 200);
    await until(async () => JSON.stringify((await service.ask('GET', '/kept')).body) === '{"v":"late"}');
  });

  test('is tried as often as it says, and no more', async () => {
    const { queue, proxy, url } = await queueAway();
    const text = api + jobs(`max_reconnects = 2\n  consumer {\n    queue = "${queue.name}"\n  }`) + flows(queue.name);
    const service = await started(text, { AMQP: url });
    await until(() => healthOf(service, 'jobs')?.message?.includes('no further attempt is made since'));
    expect(proxy.refused).toBe(3);
  });

  test('is not tried any more when the service stops', async () => {
    const { queue, proxy, url } = await queueAway();
    const text = api + jobs(`consumer {\n    queue = "${queue.name}"\n  }`) + flows(queue.name);
    const service = await startText(text, { AMQP: url });
    await until(() => proxy.refused > 1);
    await service.stop();
    const refused = proxy.refused;
    await new Promise((resolve) => setImmediate(resolve));
    expect([proxy.refused, proxy.connections]).toEqual([refused, 0]);
  });

  test('ends the start where it is required', async () => {
    const { queue, url } = await queueAway();
    const text = api + jobs(`consumer {\n    queue = "${queue.name}"\n  }`, 'required') + flows(queue.name);
    await expect(startText(text, { AMQP: url })).rejects.toThrow('connector "jobs" cannot be used');
  });
});

describe.skipIf(redisUrl === undefined)('an optional cache that is unavailable', () => {
  const cached = `
connector "fast" {
  type   = "cache"
  driver = "redis"
  url    = env("REDIS")
  health = "optional"
}
flow "cached" {
  cache {
    storage = "fast"
    key     = "late:\${input.id}"
    ttl     = "1m"
  }
  from {
    connector = "api"
    operation = "GET /cached"
  }
  response {
    id = "input.id"
  }
}
flow "asked" {
  from {
    connector = "api"
    operation = "GET /asked"
  }
  step "got" {
    connector = "fast"
    operation = "get"
    params = { key = "'none'" }
  }
  response {
    got = "step.got"
  }
}
`;

  test('keeps no answers meanwhile, and is a failure of what asks it', async () => {
    const { proxy, url } = await refusing(redisUrl as string);
    const service = await started(api + cached, { REDIS: url });
    expect(await service.ask('GET', '/cached?id=1')).toEqual({ status: 200, body: { id: '1' } });
    const error = expect.stringContaining('connector "fast" is unavailable since');
    expect(await service.ask('GET', '/asked')).toMatchObject({ body: { error } });
    proxy.fault = 'pass';
    await until(async () => (await service.ask('GET', '/asked')).status === 200);
  });
});

describe('an optional connector whose peer is there and says no', () => {
  const consuming = (block: string) => `${api}${block}
flow "take" {
  from {
    connector = "jobs"
  }
  response {
    ok = "true"
  }
}
`;
  const database = (driver: string, url: string) => `${api}
connector "jobs" {
  type   = "database"
  driver = "${driver}"
  health = "optional"
  url    = "${url}"
}
`;
  const missing = 'svc_test_that_is_missing';

  test.each([
    ['a queue that is missing', brokerUrl, () => consuming(jobs(`consumer {\n    queue = "${missing}"\n  }`))],
    ['an exchange that is missing', brokerUrl, () => api + jobs(`publisher {\n    exchange = "${missing}"\n  }`)],
    ['a virtual host that is missing', brokerUrl && `${brokerUrl}/${missing}`, () => api + jobs('')],
    [
      'a stream that is missing',
      natsUrl,
      () =>
        consuming(`
connector "jobs" {
  type   = "mq"
  driver = "nats"
  url    = "${natsUrl}"
  health = "optional"
  consumer {
    stream  = "${missing}"
    durable = "d"
  }
}
`),
    ],
    [
      'a database that is missing',
      postgresUrl,
      () => database('postgres', (postgresUrl as string).replace(/[^/]*$/, missing)),
    ],
    ['a database of MySQL that is missing', mysqlUrl, () => database('mysql', new MysqlDatabase().url)],
  ])('does not end the start, which says aloud what is lacking: %s', async (_, url, text) => {
    if (url === undefined) return;
    await lacking(text(), { AMQP: url }, 'connector "jobs" is unavailable since');
  });

  /** Starts without the connector, with an error in the log and a reason of its health that names what is lacking. */
  async function lacking(text: string, environment: Record<string, string>, what: string) {
    const { log, lines } = memoryLog();
    const service = await started(text, environment, log);
    expect(await service.ask('GET', '/ok')).toEqual({ status: 200, body: { ok: true } });
    const logged = lines.filter(({ level, fields }) => level === 'error' && fields['connector'] === 'jobs');
    expect(logged).toEqual([
      expect.objectContaining({ message: 'the optional connector cannot be used, and is tried again' }),
    ]);
    await until(() => healthOf(service, 'jobs')?.status === 'degraded');
    expect(healthOf(service, 'jobs')?.message).toContain(what);
    return service;
  }

  test('takes messages as soon as the queue that was missing is there', async () => {
    const queue = await TestQueue.named();
    onTestFinished(() => queue.end());
    const text = api + jobs(`consumer {\n    queue = "${queue.name}"\n  }`) + flows(queue.name);
    const service = await lacking(text, { AMQP: brokerUrl as string }, queue.name);
    await queue.create();
    await until(async () => (await service.ask('POST', '/send', { v: 'made' })).status === 200);
    await until(async () => (await service.ask('GET', '/kept')).body, AbortSignal.timeout(30_000));
    expect(await service.ask('GET', '/kept')).toEqual({ status: 200, body: { v: 'made' } });
  });

  test('ends the start where it refuses credentials', async () => {
    const url = (brokerUrl as string).replace(/\/\/[^@]*@/, '//guest:wrong@');
    await expect(startText(api + jobs(''), { AMQP: url })).rejects.toThrow('connector "jobs" cannot be used');
  });

  test('does not end the start where it speaks something else', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(Buffer.from([0x41, 0x4d, 0x51, 0x50, 0, 1, 0, 0])));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    await lacking(api + jobs(''), { AMQP: `amqp://127.0.0.1:${port}` }, 'AMQP');
  });

  test('ends the start where this machine does: a port that is taken', async () => {
    const port = await freePort();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const block = `connector "other" {\n  type = "rest"\n  host = "127.0.0.1"\n  port = ${port}\n  health = "optional"\n}\n`;
    const flow =
      'flow "other" {\n  from {\n    connector = "other"\n    operation = "GET /"\n  }\n  response {\n    ok = "true"\n  }\n}\n';
    await expect(startText(api + block + flow)).rejects.toThrow();
  });
});
