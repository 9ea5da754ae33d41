import { describe, expect, test } from 'vitest';
import { graphOf } from '../graph/graph.ts';
import { outlineOf, shop } from '../testing.ts';
import { pictureColours, svgOf } from './export-svg.ts';

const colours = Object.fromEntries(pictureColours.map((name) => [name, '#123456']));

function draw(text: string): string {
  const graph = graphOf(outlineOf(text), new Set(['flow create_order']), []);
  const points = new Map(graph.nodes.map(({ id }, at) => [id, { x: at * 300, y: at * 100 }]));
  return svgOf({ graph, points }, colours, (from, to) => `M${from.x} ${from.y}L${to.x} ${to.y}`);
}

/** Every tag closed in order; the text of each element. */
function textsOf(svg: string): readonly string[] {
  const open: string[] = [];
  const texts: string[] = [];
  let at = 0;
  for (const { 0: tag, 1: end, 2: name, 3: alone, index } of svg.matchAll(
    /<(\/?)([\w:]+)(?:\s+[\w-]+="[^"<&]*(?:&\w+;[^"<&]*)*")*\s*(\/?)>/g,
  )) {
    const between = svg.slice(at, index);
    expect(between).not.toMatch(/[<>]|&(?!\w+;)/);
    if (between.trim() !== '') texts.push(between);
    at = index + tag.length;
    if (end) expect(open.pop()).toBe(name);
    else if (!alone) open.push(name as string);
  }
  expect(open).toEqual([]);
  expect(svg.slice(at).trim()).toBe('');
  return texts;
}

describe('the picture', () => {
  test('is well formed and names everything', () => {
    const texts = textsOf(draw(shop));
    expect(texts).toEqual(expect.arrayContaining(['api', 'create_order', 'POST /orders', 'transform', 'total', 'db']));
    expect(texts).toEqual(expect.arrayContaining(['Gate', 'Gather', 'Shape', 'Deliver', 'not declared…']));
  });

  test('draws the frames of groups around their flows', () => {
    const graph = graphOf(outlineOf(shop), new Set(), []);
    const points = new Map(graph.nodes.map(({ id }, at) => [id, { x: 0, y: at * 100 }]));
    const flows = graph.nodes.filter(({ kind }) => kind === 'flow').map(({ id }) => id);
    const groups = [{ id: 'group folder orders', name: 'orders', by: 'folder', flows }] as const;
    const svg = svgOf({ graph, points, groups }, colours, () => 'M0 0');
    expect(textsOf(svg)).toContain(`orders, ${flows.length} flows`);
    const [, left, top] = /viewBox="(\S+) (\S+)/.exec(svg)!.map(Number);
    const firstFlow = points.get(flows[0]!)!;
    expect(left).toBe(firstFlow.x - 16 - 24);
    expect(top).toBe(Math.min(0, firstFlow.y - 44) - 24);
  });

  test('escapes what names hold', () => {
    const svg = draw(shop.replace('GET /orders', `GET /<b>&'`));
    expect(textsOf(svg)).toContain('GET /&lt;b&gt;&amp;&apos;');
  });

  test('holds nothing from outside and no token that is not its own', () => {
    expect(draw(shop)).not.toMatch(/var\(--|href|url\(|<script|#888888/);
  });
});
