import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { folderWith } from '../../../../test/support/folder.ts';
import { reply } from '../../platform/http/testing/served.ts';
import { bindingOf, servedShop } from './testing/bed.ts';

const python = process.env['TEST_PYTHON_GRPC'];
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Knows nothing but an address: it learns everything by reflection, with the checks that its library makes of descriptors. */
const script = `
import json, sys
import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

channel = grpc.insecure_channel(sys.argv[1])
version = sys.argv[2]
metadata = [tuple(pair) for pair in json.loads(sys.argv[3])]

def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at

def fields(data):
    at, found = 0, []
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        else:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        found.append((tag >> 3, value))
    return found

ask = channel.stream_stream("/grpc.reflection." + version + ".ServerReflection/ServerReflectionInfo",
    request_serializer=lambda text: text, response_deserializer=lambda data: data)

def question(field, text):
    return bytes([field << 3 | 2, len(text)]) + text.encode()

def answers(*asked):
    return [dict(fields(answer)) for answer in ask(iter(asked), metadata=metadata, timeout=10)]

try:
    listed, unknown = answers(question(7, ""), question(4, "shop.None"))
except grpc.RpcError as error:
    print(json.dumps({"refused": error.code().name}))
    sys.exit()
services = [dict(fields(value))[1].decode() for _, value in fields(listed[6])]
[found] = answers(question(4, "shop.Shop.GetOrder"))
pool = descriptor_pool.DescriptorPool()
files = [descriptor_pb2.FileDescriptorProto.FromString(value) for _, value in fields(found[4])]
names = [file.name for file in files]
left = list(files)
while left:
    file = next(each for each in left if all(name not in [other.name for other in left] for name in each.dependency))
    pool.Add(file)
    left.remove(file)
method = pool.FindServiceByName("shop.Shop").FindMethodByName("GetOrder")
make = message_factory.MessageFactory(pool)
Request, Response = make.GetPrototype(method.input_type), make.GetPrototype(method.output_type)
call = channel.unary_unary("/shop.Shop/GetOrder", request_serializer=Request.SerializeToString,
    response_deserializer=Response.FromString)
request = json_format.ParseDict({"orderId": "9007199254740993", "text": "é", "state": "OPEN", "tags": ["a", "b"],
    "counts": {"x": 2}, "madeAt": "2024-05-01T12:00:00Z", "note": "n", "extra": {"list": [1, None, True]},
    "amount": 1.5, "zero": 0}, Request())
answer = call(request, metadata=metadata, timeout=10)
[by_name] = answers(question(3, names[0]))
print(json.dumps({
    "services": services, "files": sorted(names), "unknown": dict(fields(unknown[7]))[1],
    "same": request == answer, "presence": answer.HasField("zero"), "order": json_format.MessageToDict(answer),
    "optional": [field.name for field in method.input_type.fields if field.containing_oneof is not None],
    "by_name": len(fields(by_name[4])) == len(files),
}))
`;

async function asked(port: number, version: string, metadata: readonly (readonly [string, string])[] = []) {
  const folder = folderWith({});
  folders.push(folder);
  writeFileSync(join(folder, 'ask.py'), script);
  const written = [join(folder, 'ask.py'), `127.0.0.1:${port}`, version, JSON.stringify(metadata)];
  const { stdout } = await promisify(execFile)(python as string, written, { timeout: 60_000 });
  return JSON.parse(stdout) as unknown;
}

describe.skipIf(python === undefined)('the client of Python', { timeout: 60_000 }, () => {
  const flows = [bindingOf('GetOrder', ({ input: { headers: _, ...input } }) => reply(input))];

  test.each(['v1', 'v1alpha'])('learns by reflection what a server has, and calls it (%s)', async (version) => {
    await using served = await servedShop(flows);
    expect(await asked(served.port, version)).toEqual({
      services: ['shop.Shop'],
      files: [
        'google/protobuf/empty.proto',
        'google/protobuf/struct.proto',
        'google/protobuf/timestamp.proto',
        'google/protobuf/wrappers.proto',
        'shop.proto',
      ],
      unknown: 5,
      same: true,
      presence: true,
      order: {
        orderId: '9007199254740993',
        text: 'é',
        state: 'OPEN',
        tags: ['a', 'b'],
        counts: { x: 2 },
        madeAt: '2024-05-01T12:00:00Z',
        note: 'n',
        extra: { list: [1, null, true] },
        amount: 1.5,
        zero: 0,
      },
      optional: ['amount', 'free', 'zero'],
      by_name: true,
    });
  });

  test('A-01: reflection needs the credentials that calls need, and is there unless it is switched off', async () => {
    const auth = { type: 'basic', users: { ada: 'first secret' } };
    await using guarded = await servedShop(flows, { auth });
    expect(await asked(guarded.port, 'v1')).toEqual({ refused: 'UNAUTHENTICATED' });
    const credentials = [['authorization', `Basic ${btoa('ada:first secret')}`]] as const;
    expect(await asked(guarded.port, 'v1', credentials)).toMatchObject({ services: ['shop.Shop'], same: true });
    await using silent = await servedShop(flows, { reflection: false });
    expect(await asked(silent.port, 'v1')).toEqual({ refused: 'UNIMPLEMENTED' });
  });
});
