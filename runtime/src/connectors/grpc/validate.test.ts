import { describe, expect, test } from 'vitest';
import { fileProblems } from '../../checks/rules/testing/file-problems.ts';
import { shop } from './testing/bed.ts';

/** Errors of a configuration with one connector `rpc` and a flow for each operation. */
async function problemsOf(
  operations: readonly string[],
  lines = 'proto_path = "./proto"',
  files: Readonly<Record<string, string>> = { 'proto/shop.proto': shop },
) {
  const flows = operations.map(
    (operation, at) => `flow "f${at}" {
  from {
    connector = "rpc"
    operation = "${operation}"
  }
  response {
    text = "input.text"
  }
}
`,
  );
  const text = `connector "rpc" {
  type = "grpc"
  ${lines}
}
${flows.join('')}`;
  return fileProblems({ 'service.hcl': text, ...files });
}

describe('svc validate of a gRPC server', () => {
  test('accepts methods by service and package, by service, and by their name alone', async () => {
    const operations = ['shop.Shop/GetOrder', 'Shop/CreateOrder', 'ListOrders', 'WatchOrders', 'SendOrders'];
    expect(await problemsOf(operations)).toEqual([]);
  });

  test('refuses methods that the files do not have, with what may be meant, and streams in both directions', async () => {
    expect(await problemsOf(['Shop/GetOrdr', 'Shp/GetOrder', 'shop.Shop/Chat', 'a b'])).toEqual([
      expect.objectContaining({
        code: 'unknown-method',
        message: 'service "Shop" has no method "GetOrdr"',
        help: 'Did you mean "Shop/GetOrder"?',
        at: 'service.hcl:8',
      }),
      expect.objectContaining({
        message: 'the .proto files have no service "Shp"',
        help: 'Did you mean "Shop/GetOrder"?',
        at: 'service.hcl:17',
      }),
      expect.objectContaining({
        code: 'unavailable-method',
        message: 'shop.Shop/Chat streams in both directions, which flows cannot answer',
      }),
      expect.objectContaining({ message: expect.stringContaining('must name a service and a method') }),
    ]);
  });

  test('a method that several services have needs its service', async () => {
    const twice = `${shop}service Other { rpc GetOrder (Order) returns (Order); }`;
    expect(await problemsOf(['GetOrder'], undefined, { 'proto/shop.proto': twice })).toEqual([
      expect.objectContaining({ message: '"GetOrder" is a method of shop.Other, shop.Shop' }),
    ]);
  });

  test.each([
    ['syntax = "proto3";\nmessage A {\n  strin', 'malformed-schema', 'proto/a.proto:3'],
    ['syntax = "proto3";\nimport "b.proto";\n', 'missing-import', 'proto/a.proto:2'],
    ['syntax = "proto3";\nimport "../service.hcl";\n', 'outside-directory', 'proto/a.proto:2'],
    ['syntax = "proto3";\nmessage A {\n  Missing b = 1;\n}\n', 'malformed-schema', 'proto/a.proto:3'],
  ])('names the file and the line of what is wrong: %s', async (text, code, at) => {
    expect(await problemsOf(['A/B'], undefined, { 'proto/a.proto': text })).toEqual([
      expect.objectContaining({ code, at }),
    ]);
  });

  test.each([
    ['proto_path = "../other"', 'outside-directory', 3],
    ['proto_path = "./none"', 'unreadable-schema', 3],
    ['proto_path = "./proto"\n  proto_files = ["none.proto"]', 'unreadable-schema', 4],
    ['proto_path = "./proto"\n  proto_files = ["../service.hcl"]', 'outside-directory', 4],
  ])('refuses files that are not there, or outside of the directory: %s', async (lines, code, line) => {
    expect(await problemsOf(['Shop/GetOrder'], lines)).toEqual([
      expect.objectContaining({ code, at: `service.hcl:${line}` }),
    ]);
  });

  test('proto_files are read alone, with what they import', async () => {
    const files = {
      'proto/a.proto': 'syntax = "proto3";\nimport "sub/b.proto";\nservice S { rpc M (B) returns (B); }',
      'proto/sub/b.proto': 'syntax = "proto3";\nmessage B { string text = 1; }',
      'proto/broken.proto': 'broken',
    };
    const lines = 'proto_path = "./proto"\n  proto_files = ["a.proto"]';
    expect(await problemsOf(['S/M'], lines, files)).toEqual([]);
  });

  test.each([
    ['api_key"\n keys = ["k"]\n query_param = "key', 'calls have no query'],
    ['jwt', 'has nothing to check tokens with'],
    ['mtls', 'has no certificate to check'],
    ['mtls"\n secret = "s', '`secret` is not read by auth of type'],
  ])('refuses credentials that calls do not carry: %s', async (auth, message) => {
    const lines = `proto_path = "./proto"\n  auth {\n    type = "${auth}"\n  }`;
    expect(JSON.stringify(await problemsOf(['Shop/GetOrder'], lines))).toContain(message);
  });

  test('a port of another connector is taken', async () => {
    const lines = 'proto_path = "./proto"\n  port = 3000\n}\nconnector "api" {\n  type = "rest"\n  port = 3000';
    expect(await problemsOf(['Shop/GetOrder'], lines)).toContainEqual(expect.objectContaining({ code: 'port-taken' }));
  });
});

describe('svc validate of a gRPC client', () => {
  test('refuses methods that the files do not have, in every place where a flow asks for them', async () => {
    const text = `connector "orders" {
  type       = "grpc"
  driver     = "client"
  proto_path = "./proto"
  operation "renamed" {
    service = "shop.Shop"
    rpc     = "GetOrdr"
  }
}
flow "calls" {
  when = "@daily"
  step "good" {
    connector = "orders"
    operation = "shop.Shop/GetOrder"
  }
  step "unknown" {
    connector = "orders"
    operation = "Shop/GetOrdr"
  }
  step "named" {
    connector = "orders"
    operation = "renamed"
  }
  enrich "price" {
    connector = "orders"
    operation = "Shp/GetOrder"
  }
  to {
    connector = "orders"
    target    = "Shop/Chat"
  }
}
`;
    const problems = await fileProblems({ 'service.hcl': text, 'proto/shop.proto': shop });
    expect(problems).toEqual([
      expect.objectContaining({
        code: 'unknown-method',
        message: 'service "Shop" has no method "GetOrdr"',
        help: 'Did you mean "Shop/GetOrder"?',
        at: 'service.hcl:18',
      }),
      expect.objectContaining({ message: 'service "shop.Shop" has no method "GetOrdr"', at: 'service.hcl:22' }),
      expect.objectContaining({ message: 'the .proto files have no service "Shp"', at: 'service.hcl:26' }),
      expect.objectContaining({
        code: 'unavailable-method',
        message: 'shop.Shop/Chat streams in both directions, which flows cannot call',
        at: 'service.hcl:30',
      }),
    ]);
  });

  test('actions of aspects name methods too; a word of databases leaves the method to the target', async () => {
    const service = (words: string) => `connector "orders" {
  type       = "grpc"
  driver     = "client"
  proto_path = "./proto"
}
flow "f" {
  when = "@daily"
  response {
    a = "1"
  }
}
aspect "copied" {
  on   = ["f"]
  when = "after"
  action {
    connector = "orders"
    ${words}
  }
}
`;
    const among = (words: string) => fileProblems({ 'service.hcl': service(words), 'proto/shop.proto': shop });
    for (const words of ['operation = "Shop/CreateOrder"', 'target = "Shop/CreateOrder"'])
      expect(await among(words)).toEqual([]);
    for (const words of ['operation = "Shop/CreateOrdr"', 'target = "Shop/CreateOrdr"'])
      expect(await among(words)).toEqual([
        expect.objectContaining({
          code: 'unknown-method',
          help: 'Did you mean "Shop/CreateOrder"?',
          at: 'service.hcl:17',
        }),
      ]);
  });

  test('without files its server is asked; files beside reflection are refused', async () => {
    const client = (lines: string) =>
      `connector "orders" {\n  type = "grpc"\n  driver = "client"\n  ${lines}\n}\nflow "f" {\n  when = "@daily"\n  step "a" {\n    connector = "orders"\n    operation = "Shop/GetOrder"\n  }\n  response {\n    a = "1"\n  }\n}\n`;
    expect(await fileProblems({ 'service.hcl': client('reflection = true') })).toEqual([]);
    expect(await fileProblems({ 'service.hcl': client('') })).toEqual([]);
    expect(await fileProblems({ 'service.hcl': client('reflection = false') })).toEqual([
      expect.objectContaining({ code: 'missing-schema' }),
    ]);
    const both = client('reflection = true\n  proto_path = "./proto"');
    expect(await fileProblems({ 'service.hcl': both, 'proto/shop.proto': shop })).toEqual([
      expect.objectContaining({ code: 'contradiction', at: 'service.hcl:5' }),
    ]);
  });
});

test.each([
  ['insecure = true', []],
  ['insecure = false\n  tls {}', []],
  ['tls {}', []],
  ['insecure = true\n  tls {}', ['invalid-value']],
])('a client of gRPC with %j', async (lines, codes) => {
  const text = `connector "rpc" {\n  type       = "grpc"\n  driver     = "client"\n  proto_path = "./proto"\n  ${lines}\n}\n`;
  const found = await fileProblems({ 'service.hcl': text, 'proto/shop.proto': shop });
  expect(found.map(({ code }) => code)).toEqual(codes);
});
