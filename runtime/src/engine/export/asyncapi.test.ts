import specifications from '@asyncapi/specs';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { projectOf } from '../../checks/rules/testing/problems.ts';
import { asyncApi } from './asyncapi.ts';

const { schemasWithoutId: schemas } = specifications as unknown as { schemasWithoutId: Record<string, object> };
// Formats and vocabularies of its own are not checked.
const validate = new Ajv({ strict: false, validateFormats: false }).compile(schemas['3.0.0'] as object);

/** The description of a configuration that is valid; the description is valid too. */
function described(text: string) {
  const project = projectOf(text);
  expect(project.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  const document = asyncApi(project);
  expect(validate(document) ? [] : validate.errors).toEqual([]);
  return document;
}

const plant = `connector "plant" {
  type     = "mqtt"
  broker   = "ssl://reader:canary-secret@broker.internal"
  password = "canary-other"
  topic    = "plant/usual"
  protocol_version = "5"
}
`;
const orders = `connector "orders" {
  type   = "mq"
  driver = "rabbitmq"
  url    = "amqp://shop:canary-secret@rabbit:5673/shop"
  consumer {
    queue = "orders.in"
  }
}
`;
const live = 'connector "live" {\n  type = "websocket"\n  port = 3001\n}\n';
const db = 'connector "db" {\n  type     = "database"\n  driver   = "sqlite"\n  database = "a.db"\n}\n';
const api = 'connector "api" {\n  type = "rest"\n  port = 8080\n}\n';

const flow = (name: string, from: string, body: string) =>
  `flow "${name}" {\n  from {\n    ${from.replaceAll('; ', '\n    ')}\n  }\n  ${body}\n}\n`;
const toTable = 'to {\n    connector = "db"\n    target    = "t"\n  }';

describe('AsyncAPI', () => {
  test('a service as a whole', () => {
    const text = `service {
  name    = "readings"
  version = "2.1.0"
}
${plant}${orders}${db}${api}type "reading" {
  celsius = number({ min = -90 })
  note    = string({ required = false })
}
type "order" {
  body = "reading"
}
${flow('record', 'connector = "plant"; operation = "plant/{site}/+/temperature"', `validate {\n    input = "reading"\n  }\n  ${toTable}`)}
${flow('reserve', 'connector = "orders"; operation = "order.#"', `validate {\n    input = "order"\n  }\n  ${toTable}`)}
${flow('switch', 'connector = "api"; operation = "POST /lamps/:id"', 'transform {\n    on = "input.on"\n  }\n  to {\n    connector = "plant"\n    target    = "\'lamps/\' + input.id"\n    params    = { headers = { tenant = "input.tenant" } }\n  }')}`;
    expect(described(text)).toEqual({
      asyncapi: '3.0.0',
      info: { title: 'readings Events', version: '2.1.0' },
      defaultContentType: 'application/json',
      servers: {
        orders: {
          host: 'rabbit:5673',
          protocol: 'amqp',
          pathname: '/shop',
          security: [{ $ref: '#/components/securitySchemes/orders' }],
        },
        plant: {
          host: 'broker.internal:8883',
          protocol: 'mqtts',
          protocolVersion: '5',
          security: [{ $ref: '#/components/securitySchemes/plant' }],
        },
      },
      channels: {
        'orders.orders.in': {
          address: 'orders.in',
          servers: [{ $ref: '#/servers/orders' }],
          messages: { reserve: { $ref: '#/components/messages/reserve' } },
        },
        'plant.plant_site_level_3_temperature': {
          address: 'plant/{site}/{level_3}/temperature',
          servers: [{ $ref: '#/servers/plant' }],
          messages: { record: { $ref: '#/components/messages/record' } },
          parameters: { level_3: {}, site: {} },
        },
        'plant.switch.to': {
          address: null,
          servers: [{ $ref: '#/servers/plant' }],
          messages: { 'switch.to': { $ref: '#/components/messages/switch.to' } },
        },
      },
      operations: {
        record: {
          action: 'receive',
          channel: { $ref: '#/channels/plant.plant_site_level_3_temperature' },
          messages: [{ $ref: '#/channels/plant.plant_site_level_3_temperature/messages/record' }],
        },
        reserve: {
          action: 'receive',
          channel: { $ref: '#/channels/orders.orders.in' },
          messages: [{ $ref: '#/channels/orders.orders.in/messages/reserve' }],
        },
        'switch.to': {
          action: 'send',
          channel: { $ref: '#/channels/plant.switch.to' },
          messages: [{ $ref: '#/channels/plant.switch.to/messages/switch.to' }],
        },
      },
      components: {
        messages: {
          record: { payload: { $ref: '#/components/schemas/reading' } },
          reserve: { payload: { $ref: '#/components/schemas/reading' } },
          'switch.to': {
            headers: { type: 'object', properties: { tenant: { type: 'string' } } },
            payload: { type: 'object', properties: { on: {} } },
          },
        },
        schemas: {
          order: { type: 'object', properties: { body: { $ref: '#/components/schemas/reading' } }, required: ['body'] },
          reading: {
            type: 'object',
            properties: { celsius: { type: 'number', minimum: -90 }, note: { type: ['string', 'null'] } },
            required: ['celsius'],
          },
        },
        securitySchemes: { orders: { type: 'userPassword' }, plant: { type: 'userPassword' } },
      },
    });
  });

  test('A-11: no credential of a connector is in it', () => {
    const text = JSON.stringify(
      described(
        plant +
          orders +
          db +
          flow('a', 'connector = "plant"', toTable) +
          flow('b', 'connector = "orders"; operation = "x"', toTable),
      ),
    );
    expect(text).not.toMatch(/canary|reader|shop:/);
  });

  test('steps, sagas and aspects send too, and those that share a topic share a channel', () => {
    const text = `${plant}${api}${db}${flow('one', 'connector = "api"; operation = "POST /one"', 'step "s" {\n    connector = "plant"\n    operation = "PUBLISH"\n    target    = "a"\n    body      = { n = 1, m = "input.m" }\n    format    = "csv"\n  }')}
${flow('two', 'connector = "api"; operation = "POST /two"', 'transform {\n    x = "1"\n  }\n  to {\n    connector = "plant"\n  }')}
saga "rent" {
  from {
    connector = "api"
    operation = "POST /rentals"
  }
  step "hold" {
    action {
      connector = "plant"
      operation = "PUBLISH"
      target    = "a"
    }
  }
}
aspect "tell" {
  on   = ["one"]
  when = "after"
  action {
    connector = "plant"
    operation = "PUBLISH"
    target    = "a"
    transform {
      who = "'one'"
    }
  }
}
`;
    const { channels, operations, components } = described(text) as unknown as Record<string, Record<string, object>>;
    expect(channels).toMatchObject({
      'plant.a': {
        address: 'a',
        messages: {
          'one.step_s': expect.anything(),
          'rent.action_of_step_hold': expect.anything(),
          'tell.action': expect.anything(),
        },
      },
      'plant.plant_usual': { address: 'plant/usual', messages: { 'two.to': expect.anything() } },
    });
    expect(Object.values(operations ?? {}).map((one) => (one as { action: string }).action)).toEqual([
      'send',
      'send',
      'send',
      'send',
    ]);
    expect(components?.['messages']).toMatchObject({
      'one.step_s': { contentType: 'text/csv', payload: { properties: { n: {}, m: {} } } },
      'tell.action': { payload: { properties: { who: {} } } },
      'two.to': { payload: { properties: { x: {} } } },
    });
  });

  test('clients of a connector with live connections', () => {
    const text = `${live}type "chat" {\n  data = { text = string }\n}\n${flow('say', 'connector = "live"; operation = "say"', 'validate {\n    input = "chat"\n  }\n  to {\n    connector = "live"\n    operation = "broadcast"\n  }')}`;
    const { servers, channels, components } = described(text);
    expect([servers, channels]).toMatchObject([
      { live: { host: 'localhost:3001', protocol: 'ws' } },
      { 'live._ws': { address: '/ws', messages: { say: expect.anything(), 'say.to': expect.anything() } } },
    ]);
    expect((components as { messages: Record<string, object> }).messages['say']).toEqual({
      payload: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    });
  });

  test('a service without messages, and one whose flows have no destination', () => {
    expect(described(api)).toMatchObject({ servers: {}, channels: {}, operations: {} });
    const { channels } = described(`${plant}${flow('f', 'connector = "plant"', 'response {\n    a = "1"\n  }')}`);
    expect(channels).toMatchObject({ 'plant.levels': { address: '{levels}', parameters: { levels: {} } } });
  });

  test('equal configurations give equal texts, whatever the order of their blocks', () => {
    const flows = ['a', 'b', 'c'].map((name) => flow(name, `connector = "plant"; operation = "x/{${name}}"`, toTable));
    const one = JSON.stringify(described([plant, db, ...flows].join('')));
    const other = JSON.stringify(described([...flows.toReversed(), db, plant].join('')));
    expect(one).toBe(other);
  });

  test('what goes to a connector with profiles is described for each of them', () => {
    const events = `connector "events" {
  default = "inside"
  profile "inside" {
    type   = "mq"
    driver = "nats"
    url    = "nats://nats.internal:4222"
  }
  profile "outside" {
    type     = "mq"
    driver   = "kafka"
    brokers  = ["kafka-1:9092", "kafka-2:9092"]
    sasl {
      username = "shop"
      password = "canary-secret"
    }
  }
  profile "table" {
    type     = "database"
    driver   = "sqlite"
    database = "a.db"
  }
}
`;
    const text = `${api}${events}${flow('send', 'connector = "api"; operation = "POST /x"', 'transform {\n    n = "1"\n  }\n  to {\n    connector = "events"\n    target    = "orders"\n  }')}`;
    const document = described(text);
    expect(document).toMatchObject({
      servers: {
        'events.inside': { host: 'nats.internal:4222', protocol: 'nats' },
        'events.outside': {
          host: 'kafka-1:9092,kafka-2:9092',
          protocol: 'kafka',
          security: [{ $ref: '#/components/securitySchemes/events.outside' }],
        },
      },
      channels: {
        'events.inside.orders': { address: 'orders', servers: [{ $ref: '#/servers/events.inside' }] },
        'events.outside.orders': { address: 'orders', servers: [{ $ref: '#/servers/events.outside' }] },
      },
      operations: { 'send.to.inside': { action: 'send' }, 'send.to.outside': { action: 'send' } },
    });
    expect(Object.keys(document['servers'] as object)).toEqual(['events.inside', 'events.outside']);
    expect(JSON.stringify(document)).not.toContain('canary');
  });

  test('topics of Kafka, subjects of NATS and channels of Redis are described by the names that flows use', () => {
    const brokers = `connector "log" {
  type    = "mq"
  driver  = "kafka"
  brokers = ["kafka-1:9092"]
  consumer {
    group_id = "g"
    topics   = ["in"]
  }
}
connector "bus" {
  type   = "mq"
  driver = "nats"
  url    = "nats://nats.internal"
}
connector "channels" {
  type     = "mq"
  driver   = "redis"
  url      = "redis://redis.internal"
  channels = ["prices"]
}
`;
    const to = (connector: string, target: string) =>
      `transform {\n    n = "1"\n  }\n  to {\n    connector = "${connector}"\n    target    = "${target}"\n  }`;
    const text = `${brokers}${flow('a', 'connector = "log"', to('bus', 'orders.new'))}${flow('b', 'connector = "bus"; operation = "orders.*"', to('channels', 'changed'))}${flow('c', 'connector = "channels"', to('log', 'out'))}`;
    const { channels, operations, servers } = described(text) as Record<
      string,
      Record<string, Record<string, unknown>>
    >;
    expect(Object.values(channels ?? {}).map(({ address }) => address)).toEqual([
      'orders.*',
      'orders.new',
      'changed',
      'prices',
      'in',
      'out',
    ]);
    expect(Object.entries(operations ?? {}).map(([name, { action }]) => `${name} ${action}`)).toEqual([
      'a receive',
      'a.to send',
      'b receive',
      'b.to send',
      'c receive',
      'c.to send',
    ]);
    expect(Object.entries(servers ?? {}).map(([name, { host, protocol }]) => [name, host, protocol])).toEqual([
      ['bus', 'nats.internal:4222', 'nats'],
      ['channels', 'redis.internal', 'redis'],
      ['log', 'kafka-1:9092', 'kafka'],
    ]);
  });
});
