import { describe, expect, test } from 'vitest';
import type { Drawn } from '../graph/drawn.ts';
import { graphOf } from '../graph/graph.ts';
import { serve } from '../testing.ts';
import { bundlesOf, framesOf } from './frames.ts';
import { groupsOf } from './grouping.ts';
import { moveAmongGroups } from './keys.ts';

const service = `connector "api" {
  type = "rest"
  port = 3000
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "a.db"
}
`;

function flow(name: string, source: string | undefined, target = 'db'): string {
  const from =
    source === undefined ? '' : `  from {\n    connector = "${source}"\n    operation = "GET /${name}"\n  }\n`;
  return `flow "${name}" {\n${from}  to {\n    connector = "${target}"\n    target    = "t"\n  }\n}\n`;
}

const few = {
  'service.hcl': service,
  'top.hcl': flow('top', 'api'),
  'flows/billing/a.hcl': flow('bill', 'api') + flow('pay', undefined),
  'flows/stock/b.hcl': flow('count', 'api', 'nowhere'),
};

function many(files: number, folders: number) {
  const all = Array.from(
    { length: files },
    (_, at) => [`f${at % folders}/${at}.hcl`, flow(`flow_${at}`, 'api')] as const,
  );
  return { 'service.hcl': service, ...Object.fromEntries(all) };
}

function outlineOf(texts: Readonly<Record<string, string>>) {
  return serve(texts).outline();
}

function drawn(texts: Readonly<Record<string, string>>): Drawn {
  const outline = outlineOf(texts);
  const graph = graphOf(outline, new Set(), serve(texts).diagnostics());
  const points = new Map(graph.nodes.map(({ id }, at) => [id, { x: 0, y: at * 100 }]));
  return { graph, points, groups: groupsOf(outline, 'folder') };
}

describe('how flows are put together', () => {
  test('by folder, in the order of their names', () => {
    const groups = groupsOf(outlineOf(few), 'folder');
    expect(groups?.map(({ id, name, flows }) => ({ id, name, flows }))).toEqual([
      { id: 'group folder ', name: 'project folder', flows: ['flow top'] },
      { id: 'group folder flows/billing', name: 'flows/billing', flows: ['flow bill', 'flow pay'] },
      { id: 'group folder flows/stock', name: 'flows/stock', flows: ['flow count'] },
    ]);
  });

  test('by what they take their messages from, those without a source last', () => {
    const groups = groupsOf(outlineOf(few), 'connector');
    expect(groups?.map(({ name, flows }) => [name, flows])).toEqual([
      ['api', ['flow bill', 'flow count', 'flow top']],
      ['without a source', ['flow pay']],
    ]);
  });

  test('not at all where that is chosen, or where there are few', () => {
    expect(groupsOf(outlineOf(many(70, 3)), 'none')).toBeUndefined();
    expect(groupsOf(outlineOf(few), 'automatic')).toBeUndefined();
    expect(groupsOf(outlineOf({ 'service.hcl': service }), 'folder')).toBeUndefined();
  });

  test('many by themselves: by folder, by connector where all are in one', () => {
    expect(groupsOf(outlineOf(many(60, 3)), 'automatic')).toBeUndefined();
    expect(groupsOf(outlineOf(many(61, 3)), 'automatic')?.map(({ name }) => name)).toEqual(['f0', 'f1', 'f2']);
    expect(groupsOf(outlineOf(many(61, 1)), 'automatic')?.map(({ by, name }) => [by, name])).toEqual([
      ['connector', 'api'],
    ]);
  });
});

describe('what is drawn of a group', () => {
  test('a frame around its flows, with the problems in them', () => {
    const frames = framesOf(drawn(few));
    expect(frames.map(({ group, flows }) => [group.name, flows])).toEqual([
      ['project folder', ['top']],
      ['flows/billing', ['bill', 'pay']],
      ['flows/stock', ['count']],
    ]);
    const stock = frames[2]!;
    expect(stock).toMatchObject({ width: 248, height: 104 });
    expect(stock.problems.errors).toBeGreaterThan(0);
  });

  test('a group of which no flow is drawn has no frame', () => {
    const { graph, ...rest } = drawn(few);
    const nodes = graph.nodes.filter(({ id }) => id !== 'flow count');
    expect(framesOf({ ...rest, graph: { ...graph, nodes } }).map(({ group }) => group.name)).toEqual([
      'project folder',
      'flows/billing',
    ]);
  });

  test('one line for each connector and group, with the number of flows behind it', () => {
    const lines = bundlesOf(drawn(few)).map(({ id, source, target, count, isGhost }) => ({
      id,
      source,
      target,
      count,
      isGhost,
    }));
    expect(lines).toContainEqual({
      id: 'group folder flows/billing > connector db',
      source: 'group folder flows/billing',
      target: 'target connector db',
      count: 2,
      isGhost: false,
    });
    expect(lines).toContainEqual({
      id: 'group folder flows/stock > connector nowhere',
      source: 'group folder flows/stock',
      target: 'target connector nowhere',
      count: 1,
      isGhost: true,
    });
    expect(lines.length).toBe(6);
  });
});

describe('keys from afar', () => {
  const move = (selected: string | undefined, key: string, isShift = false) =>
    moveAmongGroups({ drawn: { value: drawn(few) }, selected: { value: selected } } as never, key, isShift);

  test('arrows lead along groups and to the connectors beside them', () => {
    expect(move(undefined, 'ArrowDown')).toBe('group folder flows/billing');
    expect(move('group folder flows/billing', 'ArrowDown')).toBe('group folder flows/stock');
    expect(move('group folder flows/billing', 'ArrowLeft')).toBe('connector api');
    expect(move('connector api', 'ArrowRight')).toBe('group folder flows/billing');
    expect(move('group folder flows/billing', 'ArrowRight')).toBe('connector db');
  });

  test('a selected flow counts as its group', () => {
    expect(move('flow bill', 'ArrowDown')).toBe('group folder flows/stock');
    expect(move('flow pay/to', 'ArrowDown')).toBe('group folder flows/stock');
  });

  test('Tab passes everything once, and leaves at the ends', () => {
    const passed: string[] = [];
    for (let at = move(undefined, 'Tab'); at !== undefined; at = move(at, 'Tab')) passed.push(at);
    expect(passed).toEqual([
      'connector api',
      'group folder flows/billing',
      'group folder flows/stock',
      'group folder ',
      'connector db',
      'connector nowhere',
    ]);
    expect(move(undefined, 'Tab', true)).toBe('connector nowhere');
    expect(move('x', 'Enter')).toBeUndefined();
  });
});
