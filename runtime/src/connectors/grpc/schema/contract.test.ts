import protobuf from 'protobufjs';
import { expect, test } from 'vitest';
import { readSchema } from '../../../platform/formats/protobuf/schema/read.ts';
import { contractOf } from './contract.ts';

const shop = `// Orders.
syntax = "proto3";
package shop.v1;
import "shop/order.proto";
import "google/protobuf/timestamp.proto";

// import "not/one.proto";
service Orders {
  rpc Get (Wanted) returns (Order); // syntax = "proto2";
}
message Wanted {
  string id = 1 [json_name = "import \\"x.proto\\";"];
  google.protobuf.Timestamp at = 2;
}
`;
const order =
  'syntax = "proto3";\npackage shop.v1;\nimport public "google/protobuf/timestamp.proto";\n\nmessage Order {\n  string id = 1;\n}\n';

const read = (files: Readonly<Record<string, string>>) =>
  readSchema(
    { proto_files: [Object.keys(files)[0]!] },
    {
      read: (path) => {
        const text = files[path];
        if (text === undefined) throw new Error('it does not exist');
        return text;
      },
      list: () => Object.keys(files),
    },
  );

test('one file is what its author wrote', () => {
  const text = order.replace('import public "google/protobuf/timestamp.proto";\n', '');
  expect(contractOf(read({ 'order.proto': text }))).toBe(text);
});

test('several files of one package are one file, with their comments and what they need besides', () => {
  const text = contractOf(read({ 'shop.proto': shop, 'shop/order.proto': order }));
  expect(text).toBe(
    `syntax = "proto3";\n\npackage shop.v1;\n\nimport "google/protobuf/timestamp.proto";\n\n// Orders.\n\n// import "not/one.proto";\nservice Orders {\n  rpc Get (Wanted) returns (Order); // syntax = "proto2";\n}\nmessage Wanted {\n  string id = 1 [json_name = "import \\"x.proto\\";"];\n  google.protobuf.Timestamp at = 2;\n}\n\nmessage Order {\n  string id = 1;\n}\n`,
  );
  const { root } = protobuf.parse(text);
  root.addJSON(protobuf.common.get('google/protobuf/timestamp.proto')!.nested!);
  root.resolveAll();
  expect(root.lookupService('shop.v1.Orders').methods['Get']?.resolvedResponseType?.fullName).toBe('.shop.v1.Order');
});

test.each([
  ['packages', order.replace('shop.v1', 'shop.v2').replace('shop.v1', 'shop.v2'), 'package'],
  ['languages', order.replace('proto3', 'proto2').replace('string id', 'optional string id'), 'syntax'],
])('files of two %s are refused', (_, other, differs) => {
  const text = shop.replace('returns (Order)', 'returns (Wanted)');
  expect(() => contractOf(read({ 'shop.proto': text, 'shop/order.proto': other }))).toThrow(
    `"shop.proto" and "shop/order.proto" differ in their ${differs}`,
  );
});
