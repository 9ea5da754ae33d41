import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inDirectory, typed } from '../testing/typed.ts';

const shop = `syntax = "proto3";
package shop;
import "google/protobuf/timestamp.proto";
import "common/money.proto";

message OrderKey { int64 order_id = 1; }
message Order {
  int64 order_id = 1;
  google.protobuf.Timestamp made_at = 2;
  common.Money price = 3;
}

service Orders {
  // One order by its number.
  rpc GetOrder (OrderKey) returns (Order);
  rpc SendOrders (stream Order) returns (Order);
  rpc WatchOrders (OrderKey) returns (stream Order);
  rpc Chat (stream Order) returns (stream Order);
}
service Archive {
  rpc GetOrder (OrderKey) returns (Order);
}
`;
const files = { 'service.hcl': 'service {\n  name = "shop"\n}\n', 'shop.proto': shop };

test('definitions become a server that reads them and a flow for each method; what is left is named', async () => {
  await inDirectory(files, async (directory) => {
    const { status, error } = await typed(['add', 'proto', 'shop.proto'], directory);
    expect({ status, error }).toEqual({
      status: 0,
      error:
        'not translated: import "common/money.proto": copy that file to protos/shop/common/money.proto\n' +
        'not translated: shop.Orders/Chat: methods that stream in both directions cannot be served\n',
    });
    const read = (path: string) => readFileSync(join(directory, path), 'utf8');
    expect(read('protos/shop/shop.proto')).toBe(shop);
    expect(read('connectors/shop.hcl')).toBe(
      'connector "shop" {\n  type       = "grpc"\n  driver     = "server"\n  proto_path = "./protos/shop"\n}\n',
    );
    expect(read('flows/get_order.hcl')).toBe(`# One order by its number.
flow "get_order" {
  from {
    connector = "shop"
    operation = "shop.Orders/GetOrder"
  }
  # TODO: what it does and answers: input is OrderKey; step, transform, to, response (Order)
}
`);
    expect(read('flows/send_orders.hcl')).toContain('input.messages are of Order');
    expect(read('flows/watch_orders.hcl')).toContain('(a list of Order)');
    expect(read('flows/archive_get_order.hcl')).toContain('"shop.Archive/GetOrder"');
    mkdirSync(join(directory, 'protos/shop/common'));
    const money = 'syntax = "proto3";\npackage common;\nmessage Money { int64 cents = 1; }\n';
    writeFileSync(join(directory, 'protos/shop/common/money.proto'), money);
    const checked = await typed(['validate', '--format', 'json'], directory);
    const { problems } = JSON.parse(checked.out) as { problems: { severity: string; message: string }[] };
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect((await typed(['fmt', '--check'], directory)).status).toBe(0);
  });
});

test.each([
  ['syntax = "proto3";\nmessage A {\n  oops\n}\n', /^svc add: bad\.proto:[34]: .+; nothing was written\n$/],
  ['message A {', /^svc add: bad\.proto.*; nothing was written\n$/],
])('what cannot be read is refused with its place: %j', async (text, error) => {
  await inDirectory({ ...files, 'bad.proto': text }, async (directory) => {
    const result = await typed(['add', 'proto', 'bad.proto'], directory);
    expect({ status: result.status, out: result.out }).toEqual({ status: 1, out: '' });
    expect(result.error).toMatch(error);
  });
});
