import { expect, test } from 'vitest';
import { load } from '../../engine/plan/testing/service.ts';
import { flowEntries } from './inspect.ts';
import type { Secrecy } from './values/snapshot.ts';

const open = { hides: () => false, hidesTarget: () => false } as unknown as Secrecy;

test('a flow shows its schedule, and has no source when nothing else triggers it', () => {
  const project = load(`flow "short" {
  when = "@daily"
  response { a = "1" }
}
flow "long" {
  when {
    schedule = "30 2 * * *"
    timezone = "Europe/Madrid"
  }
  response { a = "1" }
}
flow "asked" {
  from {
    connector = "api"
    operation = "GET /x"
  }
  response { a = "1" }
}`);
  expect(project.diagnostics).toEqual([]);
  const entries = flowEntries({ project, stages: new Map() }, open);
  expect(entries.map(({ name, from, schedule }) => [name, from.connector, schedule])).toEqual([
    ['short', '', { expression: '@daily', timezone: '' }],
    ['long', '', { expression: '30 2 * * *', timezone: 'Europe/Madrid' }],
    ['asked', 'api', null],
  ]);
});
