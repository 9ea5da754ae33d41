import { describe, expect, test as it } from 'vitest';
import { flow, outcomes, test, tested } from './testing/tested.ts';

describe('coverage', () => {
  it('reports what no test reached, and which side of a condition', async () => {
    const flows =
      flow(
        'graded',
        'POST /graded',
        `  accept {
    when = "input.points >= 0"
  }
  step "bonus" {
    connector = "db"
    when      = "input.points > 50"
    query     = "SELECT 1"
  }
  response {
    grade = "input.points > 90 ? 'a' : input.points > 50 ? 'b' : 'c'"
  }`,
      ) + flow('never', 'GET /never', '  response {\n    a = "1"\n  }');
    const report = await tested(
      flows,
      test('high', 'graded', 'input = { points = 95 }\nexpect {\n output = { grade = "a" }\n}') +
        test('low', 'graded', 'input = { points = 5 }\nexpect {\n output = { grade = "c" }\n}'),
      { coverage: true },
    );
    expect(outcomes(report)).toEqual({ high: [], low: [] });
    const { gaps, places, ...shares } = report.coverage ?? { gaps: [], places: [] };
    expect(shares).toEqual({
      flows: { covered: 1, total: 2 },
      stages: { covered: 7, total: 12 },
      rules: { covered: 3, total: 4 },
      conditions: { covered: 6, total: 8 },
    });
    expect(gaps.map(({ flow, what }) => `${flow}: ${what}`)).toEqual([
      'graded: accept › when: input.points >= 0 was never false',
      'graded: response › grade: input.points > 50 was never true',
      'never: never runs',
    ]);
    const written = places.filter(({ origin }) => origin !== undefined);
    expect(
      written.map(({ flow, stage, name, ruleIndex, ran, missing }) => [
        [flow, stage, name, ruleIndex ?? ''].join(' '),
        ran,
        missing,
      ]),
    ).toEqual([
      ['graded input  ', true, []],
      ['graded accept  ', true, []],
      ['graded accept  0', true, ['input.points >= 0 was never false']],
      ['graded step bonus ', true, []],
      ['graded step bonus 0', true, []],
      ['graded response  ', true, []],
      ['graded response  0', true, ['input.points > 50 was never true']],
      ['never input  ', false, []],
      ['never response  ', false, []],
      ['never response  0', false, []],
    ]);
  });

  it('knows batches, and conditions of aspects, transitions and comparisons', async () => {
    const flows = `${flow(
      'copy',
      'POST /copy',
      `  batch {
    source = "db"
    query  = "SELECT * FROM items ORDER BY id"
    transform {
      sku   = "lower(input.sku)"
      total = "input.total > 5 ? 5 : input.total"
    }
    to {
      connector = "db"
      target    = "copies"
    }
  }`,
    )}${flow(
      'close',
      'POST /tickets/:id/close',
      `  state_transition {
    connector = "db"
    machine   = "ticket"
    entity    = "tickets"
    id        = "input.id"
    event     = "'close'"
  }`,
    )}state_machine "ticket" {
  initial = "open"
  state "open" {
    on "close" {
      transition_to = "closed"
      guard         = "input.reason != ''"
    }
  }
  state "closed" {
    final = true
  }
}
aspect "notified" {
  on   = ["copy"]
  when = "after"
  if   = "input.loud"
  response {
    headers = { X-Copied = "yes" }
  }
}
`;
    const report = await tested(
      flows,
      test(
        'copied',
        'copy',
        'input = { loud = true }\nmock "db" {\n operation = "SELECT"\n result = [{ sku = "A", total = 9 }]\n}\nexpect {\n call "db" {\n  operation = "INSERT"\n  params = { sku = "b", total = 5 }\n }\n}',
      ) +
        test(
          'closed',
          'close',
          'input = { id = 1, reason = "done" }\nmock "db" {\n operation = "SELECT"\n result = [{ id = 1, status = "open" }]\n}\nexpect {\n status = 200\n}',
        ),
      { coverage: true },
    );
    expect(report.coverage?.gaps.map(({ flow: name, what }) => `${name}: ${what}`)).toEqual([
      'copy: transform chunk › total: input.total > 5 was never false',
      'copy: aspect notified › if: input.loud was never false',
      "close: state_transition ticket › open.close: guard: input.reason != '' was never false",
    ]);
    const [copied] = report.results;
    expect(outcomes(report)).toEqual({ copied: ['call "db": params.sku: "b", not "a"'], closed: [] });
    const { rule } = copied?.problems[0] ?? {};
    expect(rule && report.places.of(rule)).toMatchObject({ file: 'flows.hcl' });
  });
});
