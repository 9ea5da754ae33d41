import { describe, expect, test } from 'vitest';
import { problemsOf } from '../testing/problems.ts';

const connectors = `
connector "api" {
  type = "rest"
  port = 3000
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "x.db"
}
connector "peer" {
  type     = "http"
  base_url = "https://example.org"
}
`;

/** Problems of one flow on `operation` with these blocks. */
const flow = (operation: string, blocks: string) =>
  problemsOf(`${connectors}
flow "f" {
  from {
    connector = "api"
    operation = "${operation}"
    ${blocks.startsWith('filter') ? blocks : ''}
  }
  step "use" {
    connector = "peer"
    operation = "GET /x"
  }
  step "all" {
    connector = "db"
    target    = "t"
  }
  ${blocks.startsWith('filter') ? '' : blocks}
}
`);

describe('what a connector does not read is reported', () => {
  test.each([
    ['to { connector = "db"\n target = "t"\n query_filter = { a = 1 }\n }', ['{ a = 1 }']],
    ['step "s" {\n connector = "db"\n query = "SELECT 1"\n body = { a = 1 }\n }', ['{ a = 1 }']],
    ['step "s" {\n connector = "db"\n target = "t"\n operation = "INSERT"\n body = { a = 1 }\n }', []],
    ['to { connector = "peer"\n operation = "POST /x"\n envelope = "e"\n }', []],
    ['to { connector = "db"\n target = "t"\n operation = "UPDATE"\n query_filter = { a = 1 }\n }', []],
    ['filter {\n condition = "true"\n id_field = "input.id"\n max_requeue = 2\n }', ['"input.id"', '2']],
  ])('%s', (blocks, expected) => {
    const written = blocks.replaceAll('to { ', 'to {\n');
    const reported = flow('POST /x', written).filter((problem) => problem.includes('inert-attribute'));
    expect(reported).toEqual(expected.map((text) => `warning inert-attribute «${text}»`));
  });

  test.each([
    ['to { connector = "db"\n target = "t"\n envelope = "e"\n format = "xml"\n }', ['envelope', 'format']],
    ['to { connector = "peer"\n operation = "POST /x"\n query = "SELECT 1"\n }', ['query']],
    ['step "s" {\n connector = "db"\n target = "t"\n headers = { a = "1" }\n }', ['headers']],
    ['enrich "s" {\n connector = "db"\n operation = "t"\n format = "xml"\n }', ['format']],
  ])('a word of another connector is refused: %s', (blocks, expected) => {
    const reported = flow('POST /x', blocks.replaceAll('to { ', 'to {\n')).filter((problem) =>
      problem.includes('unknown'),
    );
    expect(reported).toEqual(expected.map((word) => `unknown-attribute «${word}»`));
  });

  test('what is fetched and read nowhere', () => {
    const enrich = 'enrich "price" {\n connector = "peer"\n operation = "GET /price"\n }\n';
    expect(flow('POST /x', enrich)).toContain('warning inert-block «enrich»');
    expect(flow('POST /x', `${enrich}response {\n price = "enriched.price.amount"\n }`)).toEqual([]);
  });
});
