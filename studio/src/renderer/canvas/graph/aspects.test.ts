import { expect, test } from 'vitest';
import { outlineRows } from '../outline-rows.ts';
import { outlineOf, shop } from '../testing.ts';
import { graphOf } from './graph.ts';
import { placeAt, placesOf } from './places.ts';

const text = `${shop}aspect "audit" {
  on   = ["create_*", "delete_*"]
  when = "after"
  response {
    headers = { X-Shop = "1" }
  }
}
aspect "alone" {
  on   = ["nothing"]
  when = "before"
  response {
    headers = { X-Shop = "1" }
  }
}
`;

test('aspects mark the flows that they match, and are listed with how many these are', () => {
  const outline = outlineOf(text);
  expect(outline.aspects.map(({ id, detail, flows }) => [id, detail, flows])).toEqual([
    ['aspect audit', 'after', ['create_order']],
    ['aspect alone', 'before', []],
  ]);
  const marked = graphOf(outline, new Set(), []).nodes.flatMap((node) =>
    node.kind === 'flow' ? [[node.flow.name, node.aspects.map(({ name }) => name)]] : [],
  );
  expect(marked).toEqual([
    ['create_order', ['audit']],
    ['list_orders', []],
  ]);
  const rows = outlineRows(outline, new Set()).map(({ name, meta }) => `${name}: ${meta}`);
  expect(rows.slice(-2)).toEqual(['aspect audit: after, 1 flow', 'aspect alone: before, 0 flows']);
  expect(placeAt(placesOf(outline), 'a.hcl', text.indexOf('"create_*"'))?.id).toBe('aspect audit');
});
