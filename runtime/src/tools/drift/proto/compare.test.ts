import protobuf from 'protobufjs';
import { describe, expect, test } from 'vitest';
import { methodsOf } from '../../../platform/formats/protobuf/schema/methods.ts';
import { compareProto } from './methods.ts';

const definitions = `syntax = "proto3";
package shop.v1;
service Orders {
  rpc Place (Order) returns (Receipt);
  rpc Watch (Order) returns (stream Receipt);
}
message Order {
  reserved 90 to 99;
  reserved "old";
  string id = 1;
  int32 count = 2;
  repeated Line lines = 3;
  map<string, int32> more = 4;
  State state = 5;
  oneof payment {
    string card = 6;
    string iban = 7;
  }
  optional string note = 8;
  double weight = 9;
}
message Line {
  string sku = 1;
  sint32 change = 2;
  Line part = 3;
}
enum State {
  reserved 9;
  OPEN = 0;
  SENT = 1;
  LOST = 2;
}
message Receipt {
  string id = 1;
  Line line = 2;
  bytes picture = 3;
  State state = 4;
  string text = 5;
  int64 at = 6;
}
`;

function methods(text: string) {
  const { root } = protobuf.parse(text, new protobuf.Root(), { keepCase: true });
  root.resolveAll();
  return methodsOf(root);
}

/** What is reported of definitions where the contract is the text above. */
function differences(
  served: string,
  { contract = definitions, answered }: { contract?: string; answered?: string[] } = {},
) {
  const own = methods(served);
  const paths = new Map((answered ?? own.map(({ path }) => path)).map((path) => [path, path]));
  return compareProto(methods(contract), { connector: 'rpc', methods: own, answered: paths }).map(
    ({ code, isBreaking, message, contract, served }) => [
      `${isBreaking ? 'error' : 'warning'} ${code}: ${message}`,
      contract,
      served,
    ],
  );
}

const error = (says: string) => `error contract-type: ${says}`;
const warning = (says: string) => `warning contract-type: ${says}`;

/** Replaces a text that is there. */
const changed = (from: string, to: string) => {
  expect(definitions).toContain(from);
  return definitions.replace(from, to);
};

test('definitions differ from themselves in nothing; comments, order, layout and names of messages do not matter', () => {
  expect(differences(definitions)).toEqual([]);
  const blocks = definitions.split(/\n(?=message |enum |service )/);
  const [head, ...rest] = blocks as [string, ...string[]];
  const turned = [head, ...rest.reverse()].join('\n\n// Another order.\n').replaceAll('  ', '\t /* */ ');
  expect(turned).not.toBe(definitions);
  expect(differences(turned)).toEqual([]);
  expect(differences(definitions.replaceAll('Line', 'OrderLine'))).toEqual([]);
});

describe('methods', () => {
  const operation = 'contract-operation';
  test.each([
    [
      'one that is not defined',
      changed('  rpc Watch (Order) returns (stream Receipt);\n', ''),
      [
        `error ${operation}: connector "rpc" does not define shop.v1.Orders/Watch, which the contract has`,
        'shop.v1.Orders.Watch',
        undefined,
      ],
    ],
    [
      'another package',
      definitions.replace('package shop.v1', 'package shop.v2'),
      [
        `error ${operation}: connector "rpc" does not define shop.v1.Orders/Place, which the contract has`,
        'shop.v1.Orders.Place',
        undefined,
      ],
    ],
    [
      'answers in a stream',
      changed('returns (Receipt)', 'returns (stream Receipt)'),
      [
        `error ${operation}: shop.v1.Orders/Place streams its answers here, and has one message as its answers in the contract`,
        'shop.v1.Orders.Place',
        'shop.v1.Orders.Place',
      ],
    ],
    [
      'requests in a stream',
      changed('Place (Order)', 'Place (stream Order)'),
      [
        `error ${operation}: shop.v1.Orders/Place streams its requests here, and has one message as its requests in the contract`,
        'shop.v1.Orders.Place',
        'shop.v1.Orders.Place',
      ],
    ],
    [
      'one more',
      changed('service Orders {', 'service Orders {\n  rpc Count (Order) returns (Receipt);'),
      [
        `warning ${operation}: shop.v1.Orders/Count is served, and the contract does not have it`,
        undefined,
        'shop.v1.Orders.Count',
      ],
    ],
  ])('%s', (_, served, expected) => {
    expect(differences(served)[0]).toEqual(expected);
  });

  test('a method that no flow answers is missed; one that is in no contract is not', () => {
    expect(differences(definitions, { answered: ['/shop.v1.Orders/Place'] })).toEqual([
      [
        `error ${operation}: no flow answers shop.v1.Orders/Watch, which the contract has: callers get UNIMPLEMENTED`,
        'shop.v1.Orders.Watch',
        'shop.v1.Orders.Watch',
      ],
    ]);
    const contract = definitions.replace('  rpc Watch (Order) returns (stream Receipt);\n', '');
    expect(differences(definitions, { contract, answered: ['/shop.v1.Orders/Place'] })).toEqual([]);
  });

  test('what a server answers of itself needs no definition here', () => {
    const contract =
      'syntax = "proto3"; package grpc.health.v1; message Q { string service = 1; } service Health { rpc Check(Q) returns (Q); rpc Watch(Q) returns (stream Q); rpc List(Q) returns (Q); }';
    expect(
      differences('syntax = "proto3";', {
        contract,
        answered: ['/grpc.health.v1.Health/Check', '/grpc.health.v1.Health/Watch'],
      }).map(([says]) => says),
    ).toEqual([
      `error ${operation}: connector "rpc" does not define grpc.health.v1.Health/List, which the contract has`,
    ]);
  });
});

describe('one change each', () => {
  const of = (field: string) => `the field ${field} of shop.v1`;
  test.each<[string, string, string, string[]]>([
    [
      'a field that a request has',
      '  int32 count = 2;\n',
      '',
      [error(`${of('"count" (2)')}.Order is in the contract, and not here: what callers send in it is dropped`)],
    ],
    [
      'a field that an answer has',
      '  string text = 5;\n',
      '',
      [error(`${of('"text" (5)')}.Receipt is in the contract, and not here: callers never get it`)],
    ],
    [
      'a field that both have',
      '  sint32 change = 2;\n',
      '',
      [
        error(`${of('"change" (2)')}.Line is in the contract, and not here: what callers send in it is dropped`),
        error(`${of('"change" (2)')}.Line is in the contract, and not here: callers never get it`),
      ],
    ],
    [
      'a field more',
      'double weight = 9;',
      'double weight = 9; string far = 10;',
      [warning(`${of('"far" (10)')}.Order is here, and not in the contract`)],
    ],
    [
      'a field with a reserved number',
      'double weight = 9;',
      'double weight = 9; string far = 99;',
      [error(`${of('"far" (99)')}.Order is here, and the contract reserves the number 99`)],
    ],
    [
      'another number',
      'int32 count = 2;',
      'int32 count = 12;',
      [error(`${of('"count" (2)')}.Order has the number 12 here, and 2 in the contract`)],
    ],
    [
      'numbers that were exchanged',
      'string card = 6;\n    string iban = 7;',
      'string card = 7;\n    string iban = 6;',
      [
        error(`${of('"card" (6)')}.Order has the number 7 here, and 6 in the contract`),
        error(`${of('"iban" (7)')}.Order has the number 6 here, and 7 in the contract`),
      ],
    ],
    [
      'another name',
      'int32 count = 2;',
      'int32 amount = 2;',
      [warning(`${of('"count" (2)')}.Order is named "amount" here, and "count" in the contract`)],
    ],
    [
      'a type of the same form',
      'int32 count = 2;',
      'int64 count = 2;',
      [warning(`${of('"count" (2)')}.Order is int64 here, and int32 in the contract`)],
    ],
    [
      'a truth value for a number',
      'int32 count = 2;',
      'bool count = 2;',
      [warning(`${of('"count" (2)')}.Order is bool here, and int32 in the contract`)],
    ],
    [
      'a text for bytes',
      'bytes picture = 3;',
      'string picture = 3;',
      [warning(`${of('"picture" (3)')}.Receipt is string here, and bytes in the contract`)],
    ],
    [
      'an enum for a number',
      'int32 count = 2;',
      'State count = 2;',
      [warning(`${of('"count" (2)')}.Order is shop.v1.State here, and int32 in the contract`)],
    ],
    [
      'zigzag',
      'int32 count = 2;',
      'sint32 count = 2;',
      [error(`${of('"count" (2)')}.Order is sint32 here, and int32 in the contract`)],
    ],
    [
      'a text',
      'int32 count = 2;',
      'string count = 2;',
      [error(`${of('"count" (2)')}.Order is string here, and int32 in the contract`)],
    ],
    [
      'a shorter number',
      'double weight = 9;',
      'float weight = 9;',
      [error(`${of('"weight" (9)')}.Order is float here, and double in the contract`)],
    ],
    [
      'a message',
      'int32 count = 2;',
      'Line count = 2;',
      [error(`${of('"count" (2)')}.Order is shop.v1.Line here, and int32 in the contract`)],
    ],
    [
      'a list',
      'int32 count = 2;',
      'repeated int32 count = 2;',
      [error(`${of('"count" (2)')}.Order is repeated int32 here, and int32 in the contract`)],
    ],
    [
      'no list',
      'repeated Line lines',
      'Line lines',
      [error(`${of('"lines" (3)')}.Order is shop.v1.Line here, and repeated shop.v1.Line in the contract`)],
    ],
    [
      'no map',
      'map<string, int32> more',
      'repeated string more',
      [error(`${of('"more" (4)')}.Order is repeated string here, and map<string, int32> in the contract`)],
    ],
    [
      'keys of a map',
      'map<string, int32>',
      'map<int32, int32>',
      [error(`${of('"more" (4)')}.Order is map<int32, int32> here, and map<string, int32> in the contract`)],
    ],
    [
      'values of a map',
      'map<string, int32>',
      'map<string, bool>',
      [warning(`${of('"more" (4)')}.Order is map<string, bool> here, and map<string, int32> in the contract`)],
    ],
    [
      'presence',
      'optional string note',
      'string note',
      [warning(`${of('"note" (8)')}.Order is not known to be absent here (optional), and is in the contract`)],
    ],
    [
      'presence where it was not',
      'int32 count = 2;',
      'optional int32 count = 2;',
      [warning(`${of('"count" (2)')}.Order is known to be absent here (optional), and is not in the contract`)],
    ],
    [
      'fields that exclude each other no more',
      '  oneof payment {\n    string card = 6;\n    string iban = 7;\n  }\n',
      '  optional string card = 6;\n  optional string iban = 7;\n',
      [
        warning(
          'the fields "card", "iban" of shop.v1.Order exclude each other in the contract (oneof payment), and not here',
        ),
      ],
    ],
    [
      'fields that exclude each other',
      '  double weight = 9;\n',
      '  oneof load { double weight = 9; int32 count = 2; }\n',
      [
        error(
          'the fields "weight", "count" of shop.v1.Order exclude each other here (oneof load), and not in the contract',
        ),
      ],
    ],
    [
      'fields that exclude each other in an answer',
      '  string text = 5;\n  int64 at = 6;\n',
      '  oneof rest { string text = 5; int64 at = 6; }\n',
      [
        warning(
          'the fields "text", "at" of shop.v1.Receipt exclude each other here (oneof rest), and not in the contract',
        ),
      ],
    ],
    [
      'a value of an enum',
      '  LOST = 2;\n',
      '',
      [
        error('the value LOST (2) of shop.v1.State, which callers may send, is not known here'),
        warning('the value LOST (2) of shop.v1.State is never answered here'),
      ],
    ],
    [
      'a value more',
      '  LOST = 2;\n',
      '  LOST = 2;\n  FOUND = 3;\n',
      [warning('the value FOUND (3) of shop.v1.State is here, and not in the contract')],
    ],
    [
      'a value with a reserved number',
      '  reserved 9;\n  OPEN',
      '  FOUND = 9;\n  OPEN',
      [error('the value FOUND (9) of shop.v1.State is here, and the contract reserves the number 9')],
    ],
    [
      'a value of another name',
      'LOST = 2',
      'GONE = 2',
      [warning('the value 2 of shop.v1.State is named GONE here, and LOST in the contract')],
    ],
    [
      'a value of another number',
      'LOST = 2',
      'LOST = 3',
      [error('the value LOST of shop.v1.State is 3 here, and 2 in the contract')],
    ],
  ])('%s', (_, from, to, expected) => {
    let served = changed(from, to);
    if (to.includes('oneof load')) served = served.replace('  int32 count = 2;\n', '');
    if (to.includes('= 99')) served = served.replace('  reserved 90 to 99;\n', '');
    expect(
      differences(served)
        .map(([says]) => says)
        .sort(),
    ).toEqual([...expected].sort());
  });

  test('proto2: what must be there, defaults, groups and extensions', () => {
    const proto2 = (fields: string) =>
      `syntax = "proto2"; package p; service S { rpc M (In) returns (Out); } message In { ${fields} } message Out { ${fields} } message Sub { optional string a = 1; }`;
    const found = (contract: string, served: string) =>
      differences(proto2(served), { contract: proto2(contract) })
        .map(([says]) => says)
        .sort();
    expect(found('optional string a = 1;', 'required string a = 1;')).toEqual([
      error('the field "a" (1) of p.In must be there here, and may be absent in the contract'),
      warning('the field "a" (1) of p.Out must be there here, and may be absent in the contract'),
    ]);
    expect(found('required string a = 1;', 'optional string a = 1;')).toEqual([
      error('the field "a" (1) of p.Out may be absent here, and must be there in the contract'),
      warning('the field "a" (1) of p.In may be absent here, and must be there in the contract'),
    ]);
    expect(found('', 'required string a = 1;')).toEqual([
      error('the field "a" (1) of p.In is here, where it must be sent, and not in the contract'),
      warning('the field "a" (1) of p.Out is here, and not in the contract'),
    ]);
    expect(found('optional int32 a = 1 [default = 3];', 'optional int32 a = 1;')).toEqual([
      warning('the field "a" (1) of p.In is empty where it is absent here, and 3 in the contract'),
      warning('the field "a" (1) of p.Out is empty where it is absent here, and 3 in the contract'),
    ]);
    expect(
      found('optional Sub g = 1;', 'optional group G = 1 { optional string a = 1; }').map((says) => says?.slice(0, 39)),
    ).toEqual([error('the field "g" (1) '), error('the field "g" (1) ')]);
  });
});

test('a message that contains itself, and a long chain of messages, are compared', () => {
  const chain = (type: string) =>
    `syntax = "proto3"; service S { rpc M (M0) returns (M0); } ${Array.from({ length: 20_000 }, (_, at) => `message M${at} { M${at + 1} next = 1; }`).join('\n')} message M20000 { ${type} end = 1; }`;
  expect(differences(chain('string'), { contract: chain('int32') }).map(([says]) => says)).toEqual([
    error('the field "end" (1) of M20000 is string here, and int32 in the contract'),
  ]);
});
