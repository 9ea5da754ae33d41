import { expect, test } from 'vitest';
import { inDirectory, typed } from '../testing/typed.ts';

const proto =
  'syntax = "proto3";\npackage shop;\n\n// What shops ask.\nservice Stock {\n  rpc Get (Item) returns (Item);\n}\n\nmessage Item {\n  string id = 1;\n}\n';
const server =
  'connector "api" {\n  type        = "grpc"\n  driver      = "server"\n  port        = 50051\n  proto_files = ["stock.proto"]\n}\n';
const flow =
  'flow "get" {\n  from {\n    connector = "api"\n    operation = "shop.Stock/Get"\n  }\n  response {\n    id = "input.id"\n  }\n}\n';

const exported = (files: Readonly<Record<string, string>>, words: readonly string[] = []) =>
  inDirectory(files, (directory) => typed(['export', 'proto', ...words], directory));

test('the definitions that a server has are written', async () => {
  const { status, out, error } = await exported({ 'main.hcl': server + flow, 'stock.proto': proto });
  expect({ status, out, error }).toEqual({ status: 0, out: proto, error: '' });
});

test('a service without a server of this kind says so', async () => {
  const rest = 'connector "web" {\n  type = "rest"\n  port = 3000\n}\n';
  const { status, error } = await exported({
    'main.hcl': rest + flow.replace('"api"', '"web"').replace('shop.Stock/Get', 'GET /x'),
  });
  expect([status, error]).toEqual([2, expect.stringContaining('no connector of type grpc serves flows here')]);
});
