import { describe, expect, test } from 'vitest';
import { problemOf, problemsOf, projectOf } from '../../../../checks/rules/testing/problems.ts';
import { flowsOf } from '../../declarations.ts';

const connectors = `connector "api" {
  type = "rest"
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "a.db"
}
connector "memory" {
  type   = "cache"
  driver = "memory"
}
`;
const flow = (dedupe: string, facets: readonly string[] = [''], operation = 'POST /x') => `${connectors}flow "f" {
  from {
    connector = "api"
    operation = "${operation}"
  }
  dedupe {
    ${dedupe}
  }
  ${facets.map((facet, at) => `to {\n    connector = "db"\n    target = "t${at}"\n    ${facet}\n  }\n`).join('  ')}}
`;
const start = 'cache = "memory"\n    key = "input.id"\n    ';
const print = (field = 'a = "input.a"') => `fingerprint {\n      ${field}\n    }`;
const facet = (name: string, field?: string) => `facet "${name}" {\n      ${print(field)}\n    }\n    `;

describe('dedupe', () => {
  test.each([
    ['with a fingerprint', flow(`${start}${print()}`), []],
    ['with facets', flow(`${start}${facet('a')}${facet('b')}`, ['facet = "a"', 'facet = "b"', '']), []],
    ['that compares nothing', flow(start), ['missing-block «dedupe»']],
    ['with both', flow(`${start}${print()}\n    ${facet('a')}`, ['facet = "a"']), ['conflicting-attributes «facet»']],
    ['without cache and key', flow(print()), ['missing-attribute «dedupe»', 'missing-attribute «dedupe»']],
    ['whose cache is not a cache', flow(`cache = "db"\n    key = "1"\n    ${print()}`), ['not-a-storage «"db"»']],
    ['with an empty fingerprint', flow(`${start}${print('')}`), ['empty-fingerprint «fingerprint»']],
    [
      'with an empty fingerprint of a facet',
      flow(`${start}${facet('a', '')}`, ['facet = "a"']),
      ['empty-fingerprint «fingerprint»'],
    ],
    [
      'whose facet has no destination',
      flow(`${start}${facet('a')}${facet('b')}`, ['facet = "a"']),
      ['facet-without-destination «facet»'],
    ],
    [
      'whose destination names another facet',
      flow(`${start}${facet('price')}`, ['facet = "price"', 'facet = "prise"']),
      ['unknown-facet «"prise"»'],
    ],
    ['with a malformed ttl', flow(`${start}ttl = "soon"\n    ${print()}`), ['malformed-duration «"soon"»']],
    ['with an unknown policy', flow(`${start}on_duplicate = "drop"\n    ${print()}`), ['unknown-value «"drop"»']],
    ['of a reading flow', flow(`${start}${print()}`, [''], 'GET /x'), ['warning inert-block «dedupe»']],
    ['of a flow without destination', flow(`${start}${print()}`, []), ['warning inert-block «dedupe»']],
  ])('%s', (_title, configuration, expected) => {
    expect(problemsOf(configuration).filter((one) => !one.startsWith('info '))).toEqual(expected);
  });

  test('an undeclared facet is reported with its remedy', () => {
    const [none, near] = [
      flow(`${start}${print()}`, ['facet = "a"']),
      flow(`${start}${facet('price')}`, ['facet = "price"', 'facet = "prise"']),
    ];
    expect(problemOf('unknown-facet', none)).toMatchObject({
      message: 'flow "f" has no facet "a"',
      help: 'Write facet "a" { fingerprint { … } } into dedupe.',
    });
    expect(problemOf('unknown-facet', near).help).toBe('Did you mean "price"?');
  });

  test('a definition contains cache, key and what is compared', () => {
    const definition = (body: string) => `${connectors}dedupe "d" {\n  ${body}\n}\n`;
    const reported = (body: string) => problemsOf(definition(body)).filter((one) => !one.startsWith('info '));
    expect([reported(`${start}${print()}`), reported(start), reported(print())]).toEqual([
      [],
      ['missing-block «"d"»'],
      ['missing-attribute «"d"»', 'missing-attribute «"d"»'],
    ]);
  });

  test('the settings of a flow override the definition that it uses, field by field', () => {
    const written = `use = "dedupe.d"
    ttl = "1h"
    fingerprint {
      b = "input.x"
      c = "input.c"
    }`;
    const definition = `dedupe "d" {
  cache = "memory"
  key   = "input.id"
  ttl   = "30d"
  fingerprint {
    a = "input.a"
    b = "input.b"
  }
}
`;
    const project = projectOf({ 'a.hcl': flow(written), 'b.hcl': definition });
    const { key, ttl, fingerprint } = flowsOf(project)[0]?.values.dedupe ?? {};
    const fields = fingerprint?.fields.map(({ name, value, origin }) => [name, value.source, origin.file]);
    expect([project.diagnostics.filter(({ severity }) => severity !== 'info'), key?.source, ttl, fields]).toEqual([
      [],
      'input.id',
      3_600_000,
      [
        ['a', 'input.a', 'b.hcl'],
        ['b', 'input.x', 'a.hcl'],
        ['c', 'input.c', 'a.hcl'],
      ],
    ]);
    const twice = { 'a.hcl': flow(`${written}\n    fingerprint {\n      d = "1"\n    }`), 'b.hcl': definition };
    expect(problemsOf(twice).filter((one) => !one.startsWith('info '))).toEqual(['duplicate-block «fingerprint»']);
  });
});
