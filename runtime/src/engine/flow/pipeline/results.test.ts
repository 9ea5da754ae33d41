import { expect, test } from 'vitest';
import { projectOf } from '../../../checks/rules/testing/problems.ts';
import { sagasOf } from '../declarations.ts';
import { saga } from '../sagas/spec.ts';
import { flow } from '../spec.ts';
import { resultBlocks } from './results.ts';

const text = `connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "a.db"
}
flow "f" {
  when = "@daily"
  enrich "outer" {
    connector = "db"
    operation = "a"
  }
  step "first" {
    connector = "db"
    target    = "a"
  }
  transform {
    enrich "inner" {
      connector = "db"
      operation = "a"
    }
    x = "1"
  }
}
saga "s" {
  step "hold" {
    action {
      connector = "db"
      operation = "INSERT"
      target    = "a"
    }
  }
}
`;

test('results are found in blocks at any depth, by the variable that holds them', () => {
  const project = projectOf(text);
  const [one] = project.all('flow', flow);
  const [other] = sagasOf(project);
  const shown = [...(one ? resultBlocks(one.values, flow) : []), ...(other ? resultBlocks(other.values, saga) : [])];
  expect(shown.map(({ variable, values }) => `${variable}.${values.label}`)).toEqual([
    'step.first',
    'enriched.outer',
    'enriched.inner',
    'step.hold',
  ]);
});
