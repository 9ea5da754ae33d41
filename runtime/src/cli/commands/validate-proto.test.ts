import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compared, shortly } from '../testing/compared.ts';
import { inDirectory, typed } from '../testing/typed.ts';

const repository = join(import.meta.dirname, '..', '..', '..', '..');

describe('what a configuration exports differs from it in nothing', () => {
  test.each([['examples/stock-grpc'], ['test/bench/grpc'], ['test/scenarios/inputs']])('%s', async (path) => {
    const configuration = join(repository, path);
    const environment = {
      PORT: '3000',
      GRPC_PORT: '50051',
      DATABASE_URL: 'postgres://reader:secret@localhost:5432/inputs',
      ADMIN_PORT: '9090',
    };
    await inDirectory({}, async (directory) => {
      const { status, out } = await typed(['export', 'proto', '-c', configuration], directory, environment);
      expect(status).toBe(0);
      writeFileSync(join(directory, 'own.proto'), out);
      expect((await compared(directory, configuration, ['own.proto'], environment)).problems).toEqual([]);
    });
  });
});

/** The health of a server, as gRPC defines it. */
const health = `syntax = "proto3";
package grpc.health.v1;
message HealthCheckRequest {
  string service = 1;
}
message HealthCheckResponse {
  enum ServingStatus {
    UNKNOWN = 0;
    SERVING = 1;
    NOT_SERVING = 2;
    SERVICE_UNKNOWN = 3;  // Used only by the Watch method.
  }
  ServingStatus status = 1;
}
service Health {
  rpc Check(HealthCheckRequest) returns (HealthCheckResponse);
  rpc Watch(HealthCheckRequest) returns (stream HealthCheckResponse);
}
`;

/** The guide of gRPC for beginners: one method of each kind. */
const routeGuide = `syntax = "proto3";
option java_multiple_files = true;
package routeguide;
service RouteGuide {
  rpc GetFeature(Point) returns (Feature) {}
  rpc ListFeatures(Rectangle) returns (stream Feature) {}
  rpc RecordRoute(stream Point) returns (RouteSummary) {}
  rpc RouteChat(stream RouteNote) returns (stream RouteNote) {}
}
message Point { int32 latitude = 1; int32 longitude = 2; }
message Rectangle { Point lo = 1; Point hi = 2; }
message Feature { string name = 1; Point location = 2; }
message RouteNote { Point location = 1; string message = 2; }
message RouteSummary { int32 point_count = 1; int32 feature_count = 2; int32 distance = 3; int32 elapsed_time = 4; }
`;

const channelz = readFileSync(join(repository, 'node_modules/@grpc/grpc-js/proto/channelz.proto'), 'utf8');

describe('what svc add proto wrote keeps the contract of another maker', () => {
  test.each([
    ['health', health, []],
    ['channelz', channelz, []],
    [
      'route_guide',
      routeGuide,
      [
        // It streams in both directions, which no flow can answer.
        'error connectors/route_guide.hcl:1 no flow answers routeguide.RouteGuide/RouteChat, which the contract has: callers get UNIMPLEMENTED (route_guide.proto: routeguide.RouteGuide.RouteChat) <- route_guide.proto:8',
      ],
    ],
  ])('%s', async (name, contract, expected) => {
    const files = { 'service.hcl': 'service {\n  name = "made"\n}\n', [`${name}.proto`]: contract };
    await inDirectory(files, async (directory) => {
      const made = await typed(['add', 'proto', `${name}.proto`], directory);
      expect(made.status).toBe(0);
      const { status, problems } = await compared(directory, '.', [`${name}.proto`]);
      expect([status, shortly(problems)]).toEqual([expected.length === 0 ? 0 : 1, expected]);
    });
  });
});

const server = (name = 'rpc', folder = 'proto') =>
  `connector "${name}" {\n  type       = "grpc"\n  driver     = "server"\n  port       = 50051\n  proto_path = "./${folder}"\n}\n`;
const flow = (name: string, operation: string, connector = 'rpc') =>
  `flow "${name}" {\n  from {\n    connector = "${connector}"\n    operation = "${operation}"\n  }\n  response {\n    id = "'1'"\n  }\n}\n`;
const shop = `syntax = "proto3";
package shop;

service Orders {
  rpc Get (Wanted) returns (Order);
  rpc List (Wanted) returns (stream Order);
}

message Wanted {
  string id = 1;
}

message Order {
  string id = 1;
  // Of the receipt.
  int32 total = 2;
}
`;
const service = {
  'main.hcl': `${server()}${flow('get', 'shop.Orders/Get')}`,
  'proto/shop.proto': shop,
};

test('each difference has its places, and says what to do', async () => {
  const contract = shop.replace('int32 total = 2;', 'string total = 2;');
  await inDirectory({ ...service, 'contracts/orders.proto': contract }, async (directory) => {
    const { status, problems } = await compared(directory, '.', ['contracts/orders.proto']);
    const help = 'Serve what the contract says, or change the contract together with those who call it.';
    const texts: Readonly<Record<string, string>> = { ...service, 'contracts/orders.proto': contract };
    const place = (file: string, line: number, column: number, length: number) => {
      const before = (texts[file] ?? '').split('\n').slice(0, line - 1);
      const offset = before.reduce((sum, each) => sum + each.length + 1, 0) + column - 1;
      const end = { line, column: column + length, offset: offset + length };
      return { file, range: { start: { line, column, offset }, end } };
    };
    const related = (line: number, column: number, length: number) => [
      { message: 'the contract says it here', ...place('contracts/orders.proto', line, column, length) },
    ];
    expect({ status, problems }).toEqual({
      status: 1,
      problems: [
        {
          code: 'contract-operation',
          severity: 'error',
          family: 'config',
          message:
            'no flow answers shop.Orders/List, which the contract has: callers get UNIMPLEMENTED (contracts/orders.proto: shop.Orders.List)',
          ...place('main.hcl', 1, 11, 5),
          help,
          related: related(6, 7, 4),
        },
        {
          code: 'contract-type',
          severity: 'error',
          family: 'config',
          message:
            'the field "total" (2) of shop.Order is int32 here, and string in the contract (contracts/orders.proto: shop.Order.total)',
          ...place('proto/shop.proto', 16, 9, 5),
          help,
          related: related(16, 10, 5),
        },
      ],
    });
    const text = await typed(['validate', '--contract', 'contracts/orders.proto'], directory);
    expect(text.out).toContain('16 |   int32 total = 2;');
  });
});

test('a method that a named operation means, or one without its package, is served', async () => {
  const named = server().replace(
    /\}\n$/,
    '  operation "all" {\n    service = "Orders"\n    rpc     = "List"\n  }\n}\n',
  );
  const files = { ...service, 'main.hcl': `${named}${flow('get', 'Orders/Get')}${flow('list', 'all')}` };
  await inDirectory({ ...files, 'a.proto': shop }, async (directory) => {
    expect(await compared(directory, '.', ['a.proto'])).toEqual({ status: 0, error: '', problems: [] });
    const contract = shop.replace('  rpc List (Wanted) returns (stream Order);\n', '');
    writeFileSync(join(directory, 'a.proto'), contract);
    expect(shortly((await compared(directory, '.', ['a.proto'])).problems)).toEqual([
      'warning main.hcl:23 shop.Orders/List is served, and the contract does not have it',
    ]);
  });
});

test('definitions of several packages, which no single file has, are compared; names of one do not mean another', async () => {
  const other = shop.replace('package shop;', 'package depot;').replace('int32 total', 'bool total');
  const flows = ['shop.Orders/Get', 'shop.Orders/List', 'depot.Orders/Get', 'depot.Orders/List'];
  const main = `${server()}${flows.map((operation, at) => flow(`f${at}`, operation)).join('')}`;
  const files = { ...service, 'main.hcl': main, 'proto/depot.proto': other, 'own.proto': other, 'far.proto': shop };
  await inDirectory(files, async (directory) => {
    const { problems } = await compared(directory, '.', ['own.proto', 'far.proto']);
    expect(shortly(problems)).toEqual([
      'warning main.hcl:10 shop.Orders/Get is served, and the contract does not have it',
      'warning main.hcl:19 shop.Orders/List is served, and the contract does not have it',
      'warning main.hcl:28 depot.Orders/Get is served, and the contract does not have it',
      'warning main.hcl:37 depot.Orders/List is served, and the contract does not have it',
    ]);
  });
});

test('of several servers, the one that the file is named after', async () => {
  const main = `${server()}${server('depot').replace('50051', '50052')}${flow('get', 'shop.Orders/Get')}`;
  const contract = shop.replace('  rpc List (Wanted) returns (stream Order);\n', '');
  const files = {
    ...service,
    'main.hcl': main,
    'rpc.proto': contract,
    'depot.proto': contract,
    'other.proto': contract,
  };
  await inDirectory(files, async (directory) => {
    const { problems } = await compared(directory, '.', ['rpc.proto', 'depot.proto', 'other.proto']);
    expect(shortly(problems)).toEqual([
      'error main.hcl:7 no flow answers shop.Orders/Get, which the contract has: callers get UNIMPLEMENTED (depot.proto: shop.Orders.Get) <- depot.proto:5',
      'error other.proto:1 the contract cannot be compared: several connectors serve gRPC; name the file after the one that it is of: rpc, depot',
    ]);
  });
});

describe('imports', () => {
  const flows = `${flow('get', 'shop.Orders/Get')}${flow('list', 'shop.Orders/List')}`;
  const files = { ...service, 'main.hcl': `${server()}${flows}` };
  const parts = {
    'api/shop/v1/orders.proto': `syntax = "proto3";\npackage shop;\nimport "shop/v1/order.proto";\nimport "wanted.proto";\nimport "google/protobuf/timestamp.proto";\n${shop.slice(shop.indexOf('service'), shop.indexOf('message'))}`,
    'api/shop/v1/order.proto': `syntax = "proto3";\npackage shop;\nimport "shop/v1/orders.proto";\nmessage Order {\n  string id = 1;\n  bool total = 2;\n}\n`,
    'api/shop/v1/wanted.proto': 'syntax = "proto3";\npackage shop;\nmessage Wanted {\n  string id = 1;\n}\n',
  };

  test('of files beside it and from a folder around it, in a circle; a place is in the file that has it', async () => {
    await inDirectory({ ...files, ...parts }, async (directory) => {
      const { problems } = await compared(directory, '.', ['api/shop/v1/orders.proto']);
      expect(shortly(problems)).toEqual([
        'warning proto/shop.proto:16 the field "total" (2) of shop.Order is int32 here, and bool in the contract (api/shop/v1/order.proto: shop.Order.total) <- api/shop/v1/order.proto:6',
      ]);
    });
  });

  test.each<[string, string, Record<string, string>, string]>([
    [
      'one that is not there',
      'import "gone.proto";\n',
      {},
      'a.proto:3 the contract cannot be compared: "gone.proto" is imported, and is not beside it',
    ],
    [
      'one that leads out',
      'import "../out.proto";\n',
      {},
      'a.proto:3 the contract cannot be compared: "../out.proto" is imported, and is outside of its folder',
    ],
    [
      'one at the root',
      'import "/etc/passwd";\n',
      {},
      'a.proto:3 the contract cannot be compared: "/etc/passwd" is imported, and is outside of its folder',
    ],
    [
      'one that is broken',
      'import "b.proto";\n',
      { 'b.proto': 'syntax = "proto3";\n\nmessage {' },
      "b.proto:3 the contract cannot be compared: illegal type name '{'",
    ],
    [
      'a chain',
      'import "c0.proto";\n',
      Object.fromEntries(
        Array.from({ length: 200 }, (_, at) => [`c${at}.proto`, `syntax = "proto3";\nimport "c${at + 1}.proto";\n`]),
      ),
      'a.proto:1 the contract cannot be compared: it imports more than 100 files',
    ],
    [
      'what is large',
      Array.from({ length: 5 }, (_, at) => `import "l${at}.proto";\n`).join(''),
      Object.fromEntries(Array.from({ length: 5 }, (_, at) => [`l${at}.proto`, `// ${'x'.repeat(1_000_000)}\n`])),
      'a.proto:1 the contract cannot be compared: it and what it imports are longer than 4000000 characters',
    ],
  ])('%s', async (_, imports, more, expected) => {
    const contract = shop.replace('package shop;\n', `package shop;\n${imports}`);
    await inDirectory({ ...files, ...more, 'a.proto': contract }, async (directory) => {
      const { status, problems } = await compared(directory, '.', ['a.proto']);
      expect([status, shortly(problems)]).toEqual([1, [`error ${expected}`]]);
    });
  });
});

describe('a contract that cannot be compared', () => {
  const deep = `syntax = "proto3";\n${'message A { '.repeat(50_000)}`;
  test.each([
    ['nothing', '', 'a.proto:1 the contract cannot be compared: it defines no method'],
    ['another language', '<definitions/>', "a.proto:1 the contract cannot be compared: illegal token '<'"],
    [
      'half a file',
      'syntax = "proto3";\nservice A {\n  rpc',
      "a.proto:3 the contract cannot be compared: illegal token 'null', '(' expected",
    ],
    [
      'a type that is not there',
      `${shop}message X {\n  Gone gone = 1;\n}\n`,
      "a.proto:19 the contract cannot be compared: the definitions do not fit together: no such Type or Enum 'Gone' in Type .shop.X",
    ],
    ['levels without end', deep, 'a.proto:1 the contract cannot be compared: it has too many levels'],
    [
      'a message with very many fields',
      `${shop}message Large {\n${Array.from({ length: 15_000 }, (_, at) => `  string f${at} = ${at + 1};\n`).join('')}}\n`,
      'a.proto:1 the contract cannot be compared: it has a message or an enum of more than 2000 fields or values',
    ],
    ['control characters', '\u001b[31mred', "a.proto:1 the contract cannot be compared: illegal token '?'"],
    [
      'a long word',
      '*'.repeat(500_000),
      `a.proto:1 ${`the contract cannot be compared: illegal token '${'*'.repeat(1000)}`.slice(0, 1000)}…`,
    ],
    [
      'a text without end',
      `syntax = "proto3";\n// ${'x'.repeat(5_000_000)}`,
      'a.proto:1 the contract cannot be compared: it and what it imports are longer than 4000000 characters',
    ],
  ])('%s', async (_, contract, expected) => {
    await inDirectory({ ...service, 'a.proto': contract }, async (directory) => {
      const { status, problems } = await compared(directory, '.', ['a.proto']);
      expect([status, shortly(problems)]).toEqual([1, [`error ${expected}`]]);
    });
  });

  test('where no server of gRPC is', async () => {
    const main = 'connector "api" {\n  type = "rest"\n  port = 8080\n}\n';
    await inDirectory({ 'main.hcl': main + flow('a', 'GET /a', 'api'), 'a.proto': shop }, async (directory) => {
      const { status, problems } = await compared(directory, '.', ['a.proto']);
      expect([status, shortly(problems)]).toEqual([
        1,
        ['error a.proto:1 the contract cannot be compared: no connector of type grpc serves flows here'],
      ]);
    });
  });
});

test('a contract and a file of the configuration that have the same name are kept apart', async () => {
  const contract = `// Of those who call.\n${shop.replace('int32 total', 'string total')}`;
  const flows = `${flow('get', 'shop.Orders/Get')}${flow('list', 'shop.Orders/List')}`;
  const own = { 'own/main.hcl': `${server('rpc', '')}${flows}`, 'own/shop.proto': shop, 'shop.proto': contract };
  await inDirectory(own, async (directory) => {
    const { problems } = await compared(directory, 'own', ['shop.proto']);
    expect(shortly(problems)).toEqual([
      'error shop.proto:16 the field "total" (2) of shop.Order is int32 here, and string in the contract (./shop.proto: shop.Order.total) <- ./shop.proto:17',
    ]);
  });
});

test('a contract of one MiB is compared in seconds', async () => {
  const messages = Array.from(
    { length: 12_000 },
    (_, at) => `message M${at} {\n  string a = 1;\n  repeated M${at + 1} b = 2;\n}\n`,
  );
  const large = `${shop.replace('int32 total = 2;', 'int32 total = 2;\n  M0 all = 3;')}${messages.join('')}message M12000 {}\nenum E {\n  A = 0;\n}\n// ${'x'.repeat(300_000)}\n`;
  const contract = large.replace('M12000 {}', 'M12000 {\n  bool far = 1;\n}');
  const flows = `${flow('get', 'shop.Orders/Get')}${flow('list', 'shop.Orders/List')}`;
  await inDirectory(
    { 'main.hcl': `${server()}${flows}`, 'proto/shop.proto': large, 'a.proto': contract },
    async (directory) => {
      const { problems } = await compared(directory, '.', ['a.proto']);
      expect(problems.map(({ message }) => message)).toEqual([
        'the field "far" (1) of shop.M12000 is in the contract, and not here: callers never get it (a.proto: shop.M12000.far)',
      ]);
    },
  );
}, 30_000);
