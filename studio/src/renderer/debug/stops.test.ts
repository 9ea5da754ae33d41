import { expect, test } from 'vitest';
import { Breakpoints } from './breakpoints.ts';
import { FlowMap } from './flow-map.ts';
import { Stops } from './stops.ts';
import { orderFlow, ProjectOfOneFile } from './testing/project.ts';

const before = orderFlow(`    id    = "input.id"
    total = "input.price * 2.0"`);
const after = orderFlow(`    id    = "input.id"
    name  = "input.name"
    total = "input.price * 2.0"`);

test('a breakpoint follows its rule when rules are written before it', async () => {
  const project = new ProjectOfOneFile();
  const breakpoints = new Breakpoints();
  const stops = new Stops(project, breakpoints);
  await project.write(before);
  const stop = stops.onLine('main.hcl', 8);
  expect(stop).toMatchObject({ flow: 'order', stage: 'transform', ruleIndex: 1, line: 8, word: 'total' });
  breakpoints.toggle(stop!);
  await project.write(after);
  const [mark] = breakpoints.marks.value.values();
  expect(mark?.ruleIndex).toBe(2);
  expect(stops.find(mark!)?.line).toBe(9);
});

test('a line between means the next one where the flow can stop', async () => {
  const project = new ProjectOfOneFile();
  const stops = new Stops(project, new Breakpoints());
  await project.write(before);
  expect(stops.onLine('main.hcl', 5)).toMatchObject({ stage: 'transform', ruleIndex: -1, line: 6 });
  expect(stops.onLine('main.hcl', 100)).toBeUndefined();
});

test('a rule of the running version is found in a newer text by its target', async () => {
  const project = new ProjectOfOneFile();
  const flows = new FlowMap(project);
  await project.write(after);
  expect(flows.rule('order', 'transform', '', { index: 1, target: 'total' })).toMatchObject({ index: 2 });
  expect(flows.rule('order', 'transform', '', { index: 0, target: 'gone' })).toBeUndefined();
});
