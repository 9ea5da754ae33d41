import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { compared } from '../testing/compared.ts';
import { inDirectory, typed } from '../testing/typed.ts';

const examples = join(import.meta.dirname, '..', '..', '..', '..', 'examples');

describe('the description of each example is one that another maker finds valid, and differs from it in nothing', () => {
  const versions = ['3.0', '3.1'];
  const all = readdirSync(examples).sort();
  test.each(all.flatMap((name) => versions.map((version) => [name, version] as const)))(
    '%s, OpenAPI %s',
    async (name, version) => {
      const configuration = join(examples, name);
      await inDirectory({}, async (directory) => {
        const words = ['export', 'openapi', '-c', configuration, '--openapi-version', version];
        const { out } = await typed(words, directory);
        expect(out).toMatch(/^openapi: (3\.0\.3|3\.1\.1|3\.2\.0)$/m);
        expect(await new Validator().validate(out)).toEqual({ valid: true });
        writeFileSync(join(directory, 'openapi.yaml'), out);
        expect((await compared(directory, configuration, ['openapi.yaml'])).problems).toEqual([]);
      });
    },
  );

  test('the version is of OpenAPI alone', async () => {
    const words = ['export', 'asyncapi', '-c', join(examples, 'plugin'), '--openapi-version', '3.1'];
    expect(await typed(words)).toMatchObject({ status: 2, error: expect.stringContaining('--openapi-version') });
  });

  test('the schema of GraphQL', async () => {
    const configuration = join(examples, 'graphql-shop');
    await inDirectory({}, async (directory) => {
      const { out } = await typed(['export', 'graphql', '-c', configuration], directory);
      writeFileSync(join(directory, 'shop.graphql'), out);
      expect((await compared(directory, configuration, ['shop.graphql'])).problems).toEqual([]);
    });
  });
});

const graphql = {
  'main.hcl': `connector "shop" {
  type = "graphql"
  port = 8080
}
type "product" {
  sku  = id
  name = string
}
flow "product" {
  returns = "product"
  from {
    connector = "shop"
    operation = "Query.product"
  }
}
flow "count" {
  returns = "Int!"
  from {
    connector = "shop"
    operation = "Query.count"
  }
}
`,
};

describe('a schema of GraphQL that was changed', () => {
  test.each([
    [
      'a field more',
      (text: string) => text.replace(/type Query \{/, 'type Query {\n  far: Int'),
      'error',
      /Query\.far was removed/,
      1,
    ],
    [
      'a field less',
      (text: string) => text.replace(/^ *count.*\n/m, ''),
      'warning',
      /here and not in the contract: Query\.count/,
      20,
    ],
    [
      'another type',
      (text: string) => text.replace(/count.*/, 'count: String'),
      'error',
      /Query\.count changed type from String to Int!/,
      20,
    ],
    [
      'a field of a type',
      (text: string) => text.replace(/( *)name: .*/, '$&\n$1price: Float'),
      'error',
      /price was removed/,
      5,
    ],
  ])('%s', async (_, change, severity, says, line) => {
    await inDirectory(graphql, async (directory) => {
      const { out } = await typed(['export', 'graphql'], directory);
      const changed = change(out);
      expect(changed).not.toBe(out);
      writeFileSync(join(directory, 'shop.graphql'), changed);
      const { status, problems } = await compared(directory, '.', ['shop.graphql']);
      expect(problems.slice(0, 1)).toMatchObject([
        { severity, message: expect.stringMatching(says), file: 'main.hcl', range: { start: { line } } },
      ]);
      expect(status).toBe(severity === 'error' ? 1 : 0);
    });
  });
});

const service = {
  'main.hcl': `connector "api" {
  type = "rest"
  port = 8080
}
flow "a" {
  from {
    connector = "api"
    operation = "GET /a"
  }
}
`,
};

test('several contracts, as text, as JSON and as SARIF; places are those of both', async () => {
  const more = '\n  /b:\n    get:\n      responses: { "200": { description: x } }\n';
  const own = 'openapi: 3.0.3\ninfo: { title: x, version: "1" }\npaths:\n  /a:\n    $ref: parts.yaml#/a';
  await inDirectory(
    {
      ...service,
      'one.yaml': own,
      'two.yaml': own + more,
      'parts.yaml': 'a:\n  get:\n    responses: {}\n  put:\n    responses: {}\n',
    },
    async (directory) => {
      const { status, problems } = await compared(directory, '.', ['one.yaml', 'two.yaml', 'one.yaml']);
      expect(status).toBe(1);
      const places = problems
        .filter(({ severity }) => severity === 'error')
        .map(({ message, file, related: [at] }) => [message, file, at?.file, at?.range.start.line]);
      const put = 'no flow serves PUT /a, which the contract has (parts.yaml#/a/put)';
      expect(places).toEqual([
        [put, 'main.hcl', 'parts.yaml', 4],
        [put, 'main.hcl', 'parts.yaml', 4],
        ['no flow serves GET /b, which the contract has (two.yaml#/paths/~1b/get)', 'main.hcl', 'two.yaml', 7],
      ]);
      const text = await typed(['validate', '--contract', 'two.yaml'], directory);
      expect(text.out).toContain('error[contract-operation]: no flow serves GET /b');
      expect(text.out).toContain('the contract says it here: two.yaml:7:5');
      const sarif = await typed(['validate', '--contract', 'two.yaml', '--format', 'sarif'], directory);
      expect(JSON.parse(sarif.out)).toMatchObject({ runs: [{ results: expect.any(Array) }] });
    },
  );
});

test.each([
  ['missing.yaml', {}, 1, 'contract-unreadable'],
  ['old.json', { 'old.json': '{"swagger":"2.0"}' }, 1, 'contract-unreadable'],
  ['deep.graphql', { 'deep.graphql': `type Query { a: ${'['.repeat(50_000)} }` }, 1, 'contract-unreadable'],
  ['none.graphql', { 'none.graphql': 'type Query { a: Int }' }, 1, 'contract-unreadable'],
] as const)('a contract that cannot be compared: %s', async (file, files, status, code) => {
  await inDirectory({ ...service, ...files }, async (directory) => {
    const found = await compared(directory, '.', [file]);
    expect([found.status, found.problems.map((each) => [each.code, each.file])]).toEqual([status, [[code, file]]]);
  });
});

test('a configuration with errors is compared with nothing', async () => {
  await inDirectory({ 'main.hcl': 'flow "a" {', 'a.yaml': '' }, async (directory) => {
    const { status, problems } = await compared(directory, '.', ['a.yaml']);
    expect([status, problems]).toEqual([1, []]);
  });
});

test('what svc add openapi wrote keeps the contract, as far as it is translated', async () => {
  const contract = readFileSync(join(import.meta.dirname, 'testing', 'pets.yaml'), 'utf8');
  await inDirectory({ 'service.hcl': 'service {\n  name = "pets"\n}\n', 'pets.yaml': contract }, async (directory) => {
    const made = await typed(['add', 'openapi', 'pets.yaml'], directory);
    expect([made.status, made.error]).toEqual([0, '']);
    expect(await compared(directory, '.', ['pets.yaml'])).toEqual({ status: 0, error: '', problems: [] });
    rmSync(join(directory, 'flows', 'add_pet.hcl'));
    const { status, problems } = await compared(directory, '.', ['pets.yaml']);
    expect([status, problems.map(({ message }) => message)]).toEqual([
      1,
      ['no flow serves POST /v1/pets, which the contract has (pets.yaml#/paths/~1pets/post)'],
    ]);
  });
});
