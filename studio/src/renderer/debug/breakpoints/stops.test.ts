import { expect, test } from 'vitest';
import type { Studio } from '../../shell/studio.ts';
import { FlowMap } from '../session/flow-map.ts';
import { debugOf } from '../session/session.ts';
import { orderFlow, ProjectOfOneFile } from '../testing/project.ts';
import { toggleAt } from './at-line.ts';
import { Breakpoints } from './breakpoints.ts';
import { Stops } from './stops.ts';

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

const audited = (name: string) =>
  orderFlow('    id = "input.id"').replaceAll('"order"', `"${name}"`).replace('/orders', `/${name}`);
const aspect = `aspect "audit" {
  on   = ["create_*"]
  when = "after"
  if   = "result.affected > 0"
  action {
    connector = "db"
    target    = "audit"
  }
}
`;

test('a breakpoint in an aspect is set in every flow that it matches, those that come later too', async () => {
  const project = new ProjectOfOneFile();
  const breakpoints = new Breakpoints();
  const stops = new Stops(project, breakpoints);
  const flows = () => [...breakpoints.marks.value.values()].map(({ flow, condition }) => [flow, condition]);
  await project.write(aspect + audited('create_a') + audited('create_b'));
  const stop = stops.onLine('main.hcl', 4)!;
  expect(stop).toMatchObject({ stage: 'aspect', name: 'audit', ruleIndex: 0, line: 4 });
  breakpoints.toggle(stop);
  expect(flows()).toEqual([
    ['create_a', undefined],
    ['create_b', undefined],
  ]);
  const [mark] = breakpoints.marks.value.values();
  breakpoints.set({ ...mark!, condition: 'input.id > 1' });
  await project.write(aspect + audited('create_a') + audited('create_b') + audited('create_c'));
  expect(flows()).toEqual(['create_a', 'create_b', 'create_c'].map((flow) => [flow, 'input.id > 1']));
  breakpoints.remove([...breakpoints.marks.value.values()][1]!);
  expect(flows()).toEqual([]);
});

test('a line where no flow can stop never removes the breakpoint of another one', async () => {
  const project = new ProjectOfOneFile();
  const said: string[] = [];
  const bridge = { on: () => undefined };
  const studio = { bridge, announce: (text: string) => void said.push(text) } as unknown as Studio;
  const { breakpoints } = debugOf(studio);
  const stops = new Stops(project, breakpoints);
  const lines = () => [...breakpoints.marks.value.values()].map((mark) => stops.find(mark)?.line);
  await project.write(before);
  toggleAt(studio, stops, 'main.hcl', 5);
  toggleAt(studio, stops, 'main.hcl', 5);
  expect(lines()).toEqual([6]);
  toggleAt(studio, stops, 'main.hcl', 6);
  expect(lines()).toEqual([]);
  expect(said).toEqual([
    'Breakpoint set at line 6, the next place where the flow can stop.',
    'No flow can stop at line 5; the next place, line 6, has a breakpoint.',
    'Breakpoint removed at line 6.',
  ]);
});
