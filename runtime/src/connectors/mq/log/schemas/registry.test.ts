import { describe, expect, test } from 'vitest';
import { until } from '../../../../../../test/support/until.ts';
import { failureOf } from '../../../testing/peers/faults.ts';
import { consuming, reply, started } from '../testing/consuming.ts';
import { ofTopic, prefix, registryOf, sending } from '../testing/registry.ts';

const avro = JSON.stringify({
  type: 'record',
  name: 'shop.Order',
  fields: [
    { name: 'id', type: 'string' },
    { name: 'cents', type: 'long' },
  ],
});
const jsonSchema = JSON.stringify({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: { id: { type: 'string', format: 'uuid' }, cents: { type: 'integer' } },
  required: ['cents'],
});
const protobuf = 'syntax = "proto3"; package shop; message Order { string id = 1; int64 cents = 2; }';

describe('a message of a topic with a schema', () => {
  test.each([
    ['AVRO', avro],
    ['JSON', jsonSchema],
    ['PROTOBUF', protobuf],
  ])(
    'of %s is sent with the latest version of its subject, and read by the schema that it names',
    async (schemaType, schema) => {
      const [brokers, registry] = [await started(), await registryOf()];
      const topic = await brokers.topic();
      registry.register('another-value', { schema: '"string"' });
      const id = registry.register(`${topic}-value`, { schema, schemaType });
      const send = await sending(brokers, topic, { url: registry.url });
      const opened = await consuming(brokers, topic, () => reply, { schema_registry: { url: registry.url } });
      const value = {
        id: 'b3b0a2c5-7d7e-4d6c-8d2c-0a4b1c8e9f00',
        cents: schemaType === 'JSON' ? 5 : 9007199254740993n,
      };
      for (let at = 0; at < 20; at++) await send(value, { key: 'k' });
      await until(() => opened.taken.length === 20);
      expect(opened.taken.map(({ body, key }) => ({ body, key }))).toEqual(
        Array.from({ length: 20 }, () => ({ body: value, key: 'k' })),
      );
      const [sent] = await brokers.sent(topic, 1);
      expect(Buffer.from(sent?.value ?? '').subarray(0, 5)).toEqual(prefix(id));
      // Each side has asked once, whatever it sent and read.
      expect(registry.count(`GET /subjects/${topic}-value/versions/latest`)).toBe(1);
      expect(registry.count(`GET /schemas/ids/${id}`)).toBe(1);
    },
  );

  test('is sent with the id or the version that is written', async () => {
    const [brokers, registry] = [await started(), await registryOf()];
    const topic = await brokers.topic();
    const old = registry.register('orders-v', { schema: '"long"' });
    registry.register('orders-v', { schema: '"string"' });
    const byId = await sending(brokers, topic, { url: registry.url, ...ofTopic(topic, { value_schema_id: old }) });
    const byVersion = await sending(brokers, topic, {
      url: registry.url,
      ...ofTopic(topic, { value_subject: 'orders-v', value_version: 1 }),
    });
    const bySubject = await sending(brokers, topic, {
      url: registry.url,
      ...ofTopic(topic, { value_subject: 'orders-v' }),
    });
    await byId(1);
    await byVersion(2);
    await bySubject('x');
    const opened = await consuming(brokers, topic, () => reply, { schema_registry: { url: registry.url } });
    await until(() => opened.taken.length === 3);
    expect(opened.taken.map(({ body }) => body)).toEqual([1, 2, 'x']);
  });

  test.each(['.', '..'])(
    'of the subject %s, which a path cannot name, is refused, and nothing is asked',
    async (subject) => {
      const [brokers, registry] = [await started(), await registryOf()];
      const topic = await brokers.topic();
      const named = ofTopic(topic, { value_subject: subject });
      const failure = await failureOf(sending(brokers, topic, { url: registry.url, ...named }).then((send) => send(1)));
      expect([failure.code, failure.message]).toEqual([
        'connector_failed',
        expect.stringContaining(`"${subject}" is not the name of a subject`),
      ]);
      expect(registry.count('GET /subjects')).toBe(0);
    },
  );

  test('has a key with a schema where one is written, else a text; without `params.key` it has no key', async () => {
    const [brokers, registry] = [await started(), await registryOf()];
    const topic = await brokers.topic();
    registry.register(`${topic}-value`, { schema: '"int"' });
    registry.register('keys', {
      schema: 'syntax = "proto3"; message A {} message K { int32 n = 1; }',
      schemaType: 'PROTOBUF',
    });
    const schema_registry = {
      url: registry.url,
      ...ofTopic(topic, { key_subject: 'keys', key_version: 1, key_message: 'K' }),
    };
    const send = await sending(brokers, topic, schema_registry);
    const opened = await consuming(brokers, topic, () => reply, { schema_registry });
    await send(1, { key: { n: 7 } });
    await send(2);
    await expect(send(3, { key: { n: 'x' } })).rejects.toMatchObject({
      code: 'value_refused',
      message: 'n must be a whole number of 32 bits (int32), not a text',
    });
    const byId = { key_schema_id: registry.register('others', { schema: '"string"' }) };
    await (await sending(brokers, topic, { url: registry.url, ...ofTopic(topic, byId) }))(4, { key: 'k' });
    const added = { auto_register: true, ...ofTopic(topic, { key_schema: '"boolean"' }) };
    await (await sending(brokers, topic, { url: registry.url, ...added }))(5, { key: true });
    await until(() => opened.taken.length === 4);
    expect(opened.taken.map(({ key, body }) => [key, body])).toEqual([
      [{ n: 7 }, 1],
      ['', 2],
      ['k', 4],
      [true, 5],
    ]);
  });

  test('is sent and read without one by flows that name a format', async () => {
    const [brokers, registry] = [await started(), await registryOf()];
    const topic = await brokers.topic();
    const send = await sending(brokers, topic, { url: registry.url }, { format: 'json' });
    await send({ plain: true });
    const over = { schema_registry: { url: registry.url } };
    const opened = await consuming(brokers, topic, () => reply, over, [undefined], { format: 'json' });
    await until(() => opened.taken.length === 1);
    expect(opened.taken[0]?.['body']).toEqual({ plain: true });
  });

  test('that does not fit its schema is refused, and nothing is sent', async () => {
    const [brokers, registry] = [await started(), await registryOf()];
    const topic = await brokers.topic();
    registry.register(`${topic}-value`, { schema: jsonSchema, schemaType: 'JSON' });
    const send = await sending(brokers, topic, { url: registry.url });
    await expect(send({ id: 'no', cents: 1 })).rejects.toMatchObject({
      code: 'value_refused',
      retriable: false,
      message: 'id must match format "uuid"',
    });
    await expect(send({ cents: 1.5 })).rejects.toMatchObject({ message: 'cents must be integer' });
    await expect(send({})).rejects.toMatchObject({ message: "the value must have required property 'cents'" });
    await send({ cents: 1 });
    expect((await brokers.sent(topic, 1)).length).toBe(1);
  });
});

describe('the subject of a schema', () => {
  test.each([
    ['topic', (topic: string) => `${topic}-value`],
    ['record', () => 'shop.Order'],
    ['topic_record', (topic: string) => `${topic}-shop.Order`],
  ])('is that of the strategy: %s', async (subject_name_strategy, subjectOf) => {
    const [brokers, registry] = [await started(), await registryOf()];
    const topic = await brokers.topic();
    registry.register(subjectOf(topic), { schema: avro });
    const schema_registry = { url: registry.url, subject_name_strategy, ...ofTopic(topic, { value_schema: avro }) };
    const send = await sending(brokers, topic, schema_registry);
    await send({ id: 'a', cents: 1 });
    expect(registry.asked.slice(1)).toEqual([`POST /subjects/${encodeURIComponent(subjectOf(topic))}`]);
  });

  test('needs a name where the strategy is that of records', async () => {
    const [brokers, registry] = [await started(), await registryOf()];
    const topic = await brokers.topic();
    const send = await sending(brokers, topic, { url: registry.url, subject_name_strategy: 'record' });
    await expect(send({})).rejects.toMatchObject({
      code: 'value_refused',
      message: expect.stringContaining('needs value_schema with a name, or value_subject'),
    });
  });

  test('gets a written schema with `auto_register` alone; one that contradicts earlier versions is refused with the reason', async () => {
    const [brokers, registry] = [await started(), await registryOf()];
    const topic = await brokers.topic();
    const written = (format: string, text: string, rest: object = {}) => ({
      url: registry.url,
      format,
      ...ofTopic(topic, { value_schema: text, ...rest }),
    });
    const closed = await sending(brokers, topic, written('avro', avro));
    await expect(closed({ id: 'a', cents: 1 })).rejects.toMatchObject({
      retriable: false,
      message: `value_schema of topic "${topic}" under subject "${topic}-value" is missing: the schema registry does not have it: Subject '${topic}-value' not found; ${remedy(topic)}`,
    });
    for (const [format, text] of [
      ['avro', avro],
      ['json', jsonSchema],
      ['protobuf', protobuf],
    ] as const) {
      const send = await sending(brokers, topic, { ...written(format, text), auto_register: true });
      await send({ cents: 1, ...(format === 'avro' && { id: 'a' }) });
    }
    registry.refuse(`${topic}-value`, 'reader field missing: cents');
    const other = { type: 'string' };
    const send = await sending(brokers, topic, { ...written('json', JSON.stringify(other)), auto_register: true });
    await expect(send('x')).rejects.toMatchObject({
      retriable: false,
      message: `the schema is not compatible with subject "${topic}-value": reader field missing: cents`,
    });
    const named = await sending(
      brokers,
      topic,
      written('protobuf', `${protobuf} message B {}`, { value_message: 'shop.C' }),
    ).catch((error: unknown) => error);
    expect(named).toMatchObject({
      message: `value_schema of topic "${topic}" cannot be read: it has no message "shop.C"`,
    });
  });
});

const remedy = (topic: string) =>
  `register it with POST /subjects/${topic}-value/versions, or write value_schema with auto_register = true, or name another one with value_subject, value_version or subject_name_strategy`;

test('a schema that is missing is named, with what helps', async () => {
  const [brokers, registry] = [await started(), await registryOf()];
  const topic = await brokers.topic();
  const said = async (rest: object) => {
    const send = await sending(brokers, topic, { url: registry.url, ...ofTopic(topic, rest) });
    return failureOf(send(1) as Promise<unknown>);
  };
  const lacks = 'is missing: the schema registry does not have it:';
  expect((await said({})).message).toBe(
    `subject "${topic}-value" for the values of topic "${topic}" ${lacks} Subject '${topic}-value' not found; ${remedy(topic)}`,
  );
  registry.register(`${topic}-value`, { schema: '"int"' });
  expect((await said({ value_version: 7 })).message).toBe(
    `version 7 of subject "${topic}-value" for the values of topic "${topic}" ${lacks} Version 7 not found; ${remedy(topic)}`,
  );
  const failure = await said({ value_schema_id: 99 });
  expect([failure.code, failure.retriable, failure.message]).toEqual([
    'connector_failed',
    false,
    `schema 99 of the values of topic "${topic}" ${lacks} Schema not found; write the id of a schema as value_schema_id`,
  ]);
});

describe('a message that comes', () => {
  test('R-75: without a schema, with one that is unknown or that it is not of, goes to the dead letters with the reason', async () => {
    const [brokers, registry] = [await started(), await registryOf()];
    const topic = await brokers.topic();
    const id = registry.register(`${topic}-value`, { schema: '"int"' });
    const over = { schema_registry: { url: registry.url } };
    const opened = await consuming(brokers, topic, () => reply, over);
    const values = [
      '{"plain":true}',
      Buffer.concat([prefix(99), Buffer.of(2)]),
      Buffer.concat([prefix(id), Buffer.of(2, 2)]),
    ];
    await brokers.send(
      topic,
      [...values, ...values].map((value) => ({ value })),
    );
    await brokers.send(topic, [{ value: Buffer.concat([prefix(id), Buffer.of(14)]) }]);
    await until(() => opened.taken.length === 1);
    expect(opened.taken[0]?.['body']).toBe(7);
    const buried = await brokers.sent(`${topic}.dlq`, 6);
    expect(buried.map(({ headers }) => `${headers['x-svc-offset']}: ${headers['x-last-error']}`).toSorted()).toEqual([
      '0: it names no schema: it does not begin with a byte 0 and an id',
      '1: schema 99 is unknown: the schema registry does not have it: Schema not found',
      '2: the value is not of its schema: bytes are left behind it',
      '3: it names no schema: it does not begin with a byte 0 and an id',
      '4: schema 99 is unknown: the schema registry does not have it: Schema not found',
      '5: the value is not of its schema: bytes are left behind it',
    ]);
    // What the registry does not have is not asked for with each message.
    expect(registry.count('GET /schemas/ids/99')).toBe(1);
  });

  test('is tried again while the registry cannot be asked', async () => {
    const [brokers, registry] = [await started(), await registryOf()];
    const topic = await brokers.topic();
    const id = registry.register(`${topic}-value`, { schema: '"int"' });
    const over = { schema_registry: { url: registry.url }, consumer: { retry_count: 1000 } };
    const opened = await consuming(brokers, topic, () => reply, over);
    registry.instead = [503, 'away'];
    await brokers.send(topic, [{ value: Buffer.concat([prefix(id), Buffer.of(14)]) }]);
    await until(() => opened.lines.filter(({ message }) => message === 'message is tried again').length >= 2);
    registry.instead = undefined;
    await until(() => opened.taken.length === 1);
    expect(opened.taken[0]?.['body']).toBe(7);
  });
});
