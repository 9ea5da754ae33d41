import { rmSync } from 'node:fs';
import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import { describe, expect, test } from 'vitest';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { folderWith } from '../../../../../test/support/folder.ts';
import type { Source } from '../../../foundation/contracts/source.ts';
import { describeFile } from '../../../platform/formats/protobuf/describe.ts';
import { encodeFile, type FileDescriptor } from '../../../platform/formats/protobuf/descriptor-types.ts';
import { reply } from '../../../platform/http/testing/served.ts';
import { errorAnswer, filesAnswer, questionOf, servicesAnswer } from '../reflection/messages.ts';
import { reflectionPath, reflectionServices } from '../reflection/paths.ts';
import { bindingOf, servedShop } from '../testing/bed.ts';
import { made } from '../testing/target-bed.ts';

type Stream = ServerDuplexStream<Buffer, Buffer>;

const call = (operation: string) =>
  ({
    verb: 'call',
    operation,
    target: undefined,
    query: undefined,
    timeout: undefined,
    exact: false,
    flow: 'f',
    label: 'step "a"',
  }) as const;

/** A client without any file, of these settings. */
function clientOf(port: number, written: Record<string, unknown> = {}, operation = 'Shop/GetOrder') {
  const directory = folderWith({});
  const target = `127.0.0.1:${port}`;
  const client = made({ target, reflection: true, ...written }, directory, connectorServices());
  const execute = client.target.prepare(call(operation));
  return {
    client,
    execute,
    open: () => client.open(AbortSignal.timeout(20_000)),
    [Symbol.asyncDispose]: async () => {
      await client.close(AbortSignal.abort());
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A server that answers each question of reflection in one way; `versions` of the service are there. */
async function answeredBy(
  answer: (question: Buffer, stream: Stream) => Buffer | undefined,
  versions: readonly string[] = reflectionServices,
) {
  const server = new Server({ 'grpc.max_send_message_length': -1 });
  const asIs = (bytes: Buffer) => bytes;
  let asked = 0;
  for (const version of versions) {
    const handle = (stream: Stream) => {
      stream.on('data', (question: Buffer) => {
        asked += 1;
        const bytes = answer(question, stream);
        if (bytes !== undefined) stream.write(bytes);
      });
      stream.on('end', () => stream.end());
    };
    server.register(reflectionPath(version), handle, asIs, asIs, 'bidi');
  }
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  );
  return { port, asked: () => asked, [Symbol.asyncDispose]: async () => server.forceShutdown() };
}

/** The descriptor of a file of definitions. */
function described(text: string, over: Partial<FileDescriptor> = {}): Uint8Array {
  const { root, package: name = '' } = protobuf.parse(text, { keepCase: true });
  root.resolveAll();
  const place = name === '' ? root : (root.lookup(name) as protobuf.Namespace);
  const file = { name: 'a.proto', package: name, imports: [], shared: [], syntax: 'proto3' } as const;
  return encodeFile({ ...describeFile(file, place.nestedArray), ...over });
}

const simple =
  'syntax = "proto3"; package shop; message A { string a = 1; } service Shop { rpc GetOrder (A) returns (A); }';
const answering =
  (files: readonly Uint8Array[], services = ['shop.Shop']) =>
  (question: Buffer) =>
    questionOf(question)?.kind === 'services' ? servicesAnswer(question, services) : filesAnswer(question, files);

describe('a client without files', () => {
  test('learns from its server what there is, and calls it as with files', async () => {
    const echo = bindingOf('shop.Shop/GetOrder', ({ input }) => {
      const { headers: _, ...fields } = input;
      return reply(fields);
    });
    await using server = await servedShop([echo]);
    await using client = clientOf(server.port);
    await client.open();
    const message = {
      order_id: '9007199254740993',
      text: 'ä',
      state: 'OPEN',
      data: 'AQI=',
      tags: ['a', 'b'],
      counts: { x: 1 },
      made_at: '2026-01-02T03:04:05Z',
      note: 'n',
      extra: { deep: [1, { a: null }] },
      amount: 1.5,
      zero: 0,
    };
    const value = { ...message, order_id: 9007199254740993n, data: new Uint8Array([1, 2]) };
    expect(await client.execute({ params: message })).toEqual({ value });
    const known = (await client.client.knownTargets?.(AbortSignal.timeout(1_000))) ?? [];
    expect(known.map(({ name, kind }) => [name, kind])).toContainEqual(['shop.Shop/WatchOrders', 'stream']);
  });

  test('a reload: flows may call what the server has got meanwhile, and what it does not have is refused', async () => {
    const more = simple
      .replace('}', 'B b = 2; } message B {}')
      .replace('returns (A);', 'returns (A); rpc Take (A) returns (A);');
    let file = described(simple);
    await using server = await answeredBy((question, _) => answering([file])(question));
    await using client = clientOf(server.port);
    await client.open();
    const prepare = (operation: string) => {
      const execute = client.client.target.prepare(call(operation));
      const { source } = client.client as unknown as { readonly source: Source };
      const declared = { types: [], sent: [] };
      return source
        .bind([], declared, undefined)
        .prepare()
        .then(() => execute);
    };
    await prepare('Shop/GetOrder');
    expect(server.asked()).toBe(2);
    const says = await prepare('Shop/Take').catch(({ message }: Error) => message);
    expect(says).toMatch(/^flow "f": step "a": .*Take/);
    file = described(more);
    await prepare('Shop/GetOrder');
    expect(server.asked()).toBe(4);
    await prepare('Shop/Take');
    await prepare('Shop/GetOrder');
    expect(server.asked()).toBe(6);
  });

  test('a reload: a stream that begins flows is looked for as a call is', async () => {
    let file = described(simple);
    await using server = await answeredBy((question, _) => answering([file])(question));
    await using client = clientOf(server.port);
    await client.open();
    const { source } = client.client as unknown as { readonly source: Source };
    const follow = (operation: string) => {
      const binding = { ...bindingOf(operation, () => reply({})), words: { message: undefined } } as never;
      return source.bind([binding], { types: [], sent: [] }, undefined).prepare();
    };
    const says = await follow('Shop/Watch').catch(({ message }: Error) => message);
    expect(says).toContain('Watch');
    file = described(simple.replace('returns (A);', 'returns (A); rpc Watch (A) returns (stream A);'));
    await follow('Shop/Watch');
    expect(await follow('Shop/GetOrder').catch(({ message }: Error) => message)).toContain('GetOrder');
  });

  test('asks by itself where its project has no file', async () => {
    await using server = await servedShop([bindingOf('shop.Shop/GetOrder', () => reply({ text: 'a' }))]);
    await using client = clientOf(server.port, { reflection: undefined });
    await client.open();
    expect(await client.execute({ params: {} })).toEqual({ value: { text: 'a' } });
    await using files = clientOf(server.port, { reflection: false });
    await expect(files.open()).rejects.toThrow('holds no .proto file');
  });

  test('a flow that calls what the server does not have is refused at start', async () => {
    await using server = await servedShop([bindingOf('shop.Shop/GetOrder', () => reply({}))]);
    await using client = clientOf(server.port, {}, 'Shop/GetOrdr');
    await expect(client.open()).rejects.toMatchObject({
      message: expect.stringContaining('Did you mean "Shop/GetOrder"?'),
      retriable: false,
    });
  });

  test('asks with its credentials', async () => {
    const auth = { type: 'api_key', keys: ['k'] };
    await using server = await servedShop([bindingOf('shop.Shop/GetOrder', () => reply({ text: 'a' }))], { auth });
    await using refused = clientOf(server.port);
    await expect(refused.open()).rejects.toMatchObject({ code: 'connector_refused' });
    await using client = clientOf(server.port, { auth: { type: 'api_key', api_key: 'k' } });
    await client.open();
    expect(await client.execute({ params: {} })).toEqual({ value: { text: 'a' } });
  });
});

describe('a server is not believed', () => {
  test('the older version of the service is asked where the newer one is not there', async () => {
    await using server = await answeredBy(answering([described(simple)]), [reflectionServices[1] as string]);
    await using client = clientOf(server.port);
    await client.open();
    await using none = await answeredBy(() => undefined, []);
    await using other = clientOf(none.port);
    await expect(other.open()).rejects.toThrow('it offers no reflection: name its files in proto_path');
  });

  const descriptor = (over: Partial<FileDescriptor>) => answering([described(simple, over)]);
  const service = (name: string) => ({ service: [{ name, method: [] }] });
  const field = (name: string) =>
    ({
      message_type: [
        { name: 'A', field: [{ name, number: 1, label: 1, type: 9 }], nested_type: [], enum_type: [], oneof_decl: [] },
      ],
    }) as const;

  test.each([
    ['bytes that are nothing', () => Buffer.from([0xff, 0xff]), 'is not an answer of reflection'],
    ['an answer without content', () => Buffer.alloc(0), 'is not an answer of reflection'],
    ['an error', (question: Buffer) => errorAnswer(question, 5, 'not here'), 'it does not say its services: not here'],
    ['no services', answering([], []), 'it says no definitions'],
    [
      'too many services',
      answering(
        [],
        Array.from({ length: 1_001 }, (_, at) => `s${at}`),
      ),
      'more than 1000 services',
    ],
    ['bytes that are not a file', answering([Buffer.from([0x0a])]), 'not a file of definitions'],
    ['a file without a name', answering([Buffer.from([0x0a, 0x7f])]), '"" is not a name'],
    ['markup in a name', descriptor(service('A { } message B')), '"A { } message B" is not a name'],
    ['the name of a prototype', descriptor(service('__proto__')), '"__proto__" is not a name'],
    ['a path in quotes', descriptor({ dependency: ['a"; import "b'] }), 'is not a name'],
    ['a file elsewhere', descriptor({ name: '../../etc/passwd' }), 'outside of proto_path'],
    ['an edition', descriptor({ syntax: 'editions' }), 'is written in "editions", which is not read'],
    ['an import that is not there', descriptor({ dependency: ['b.proto'] }), '"b.proto" is imported'],
    ['a type that is not there', descriptor({ message_type: [] }), 'do not fit together'],
  ] as const)('%s', async (_, answer, message) => {
    await using server = await answeredBy(answer as (question: Buffer) => Buffer);
    await using client = clientOf(server.port);
    await expect(client.open()).rejects.toThrow(message);
  });

  test('S-58: fields with names that objects have are fields', async () => {
    for (const name of ['constructor', 'toString', 'hasOwnProperty']) {
      await using server = await answeredBy(descriptor(field(name)));
      await using client = clientOf(server.port);
      await client.open();
    }
    expect(({} as { a?: unknown }).a).toBeUndefined();
  });

  test('S-57: definitions without an end are bounded in number', async () => {
    let made = 0;
    const endless = (question: Buffer) =>
      questionOf(question)?.kind === 'services'
        ? servicesAnswer(question, ['shop.Shop'])
        : filesAnswer(question, [described(simple, { name: `f${made++}.proto`, dependency: [`f${made}.proto`] })]);
    await using server = await answeredBy(endless);
    await using client = clientOf(server.port);
    await expect(client.open()).rejects.toThrow('more than 1000 files');
    expect(server.asked()).toBeLessThan(1_100);
  });

  test('S-57: definitions are bounded in bytes', async () => {
    const large = Buffer.concat([
      described(simple),
      Buffer.from([0xfa, 0x3f, 0x80, 0x80, 0x80, 0x01]),
      Buffer.alloc(2_097_152),
    ]);
    const services = Array.from({ length: 20 }, (_, at) => `s${at}`);
    await using server = await answeredBy(answering([large], services));
    await using client = clientOf(server.port);
    await expect(client.open()).rejects.toThrow('larger than 16 MiB');
  });

  test('silence ends with the time to connect, and with the attempt', async () => {
    await using server = await answeredBy(() => undefined);
    await using client = clientOf(server.port, { connect_timeout: 300 });
    await expect(client.open()).rejects.toMatchObject({ code: 'connector_refused' });
    await using given = clientOf(server.port);
    const attempt = new AbortController();
    const opened = given.client.open(attempt.signal);
    attempt.abort();
    await expect(opened).rejects.toMatchObject({ code: 'connector_refused' });
  });
});
