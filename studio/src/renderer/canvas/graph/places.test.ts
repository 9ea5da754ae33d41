import { describe, expect, test } from 'vitest';
import { Store } from '../../state/store.ts';
import { moveOnCanvas } from '../keys.ts';
import { moveInRows, outlineRows, rowsAbove } from '../outline-rows.ts';
import { outlineOf, shop } from '../testing.ts';
import { graphOf } from './graph.ts';
import { placeAt, placesOf, stopPlaceOf } from './places.ts';

const outline = outlineOf(shop);
const places = placesOf(outline);
const transform = 'flow create_order/transform';

describe('places', () => {
  test('the innermost one around an offset', () => {
    expect(placeAt(places, 'a.hcl', shop.indexOf('input.total') + 3)?.id).toBe(`${transform}/rule 1`);
    expect(placeAt(places, 'a.hcl', shop.indexOf('transform') + 3)?.id).toBe(transform);
    expect(placeAt(places, 'a.hcl', shop.indexOf('"create_order"'))?.id).toBe('flow create_order');
    expect(placeAt(places, 'a.hcl', shop.indexOf('sqlite'))?.id).toBe('connector db');
    expect(placeAt(places, 'b.hcl', 0)).toBeUndefined();
  });

  test('what a breakpoint there names', () => {
    expect(stopPlaceOf(places.get(`${transform}/rule 1`)!)).toEqual({
      flow: 'create_order',
      stage: 'transform',
      name: '',
      ruleIndex: 1,
    });
    expect(stopPlaceOf(places.get('flow create_order')!)).toBeUndefined();
  });
});

describe('the list', () => {
  const names = (flipped: readonly string[], sought = '') =>
    outlineRows(outline, new Set(flipped), sought).map(
      ({ depth, name, meta }) => `${'  '.repeat(depth)}${name} | ${meta}`,
    );

  test('flows under the connector that they take from, unfolded to rules', () => {
    expect(names(['flow create_order'])).toEqual([
      'api | 2 flows out',
      '  create_order | POST /orders',
      '    Gate | 1',
      '      from | api',
      '    Gather | 1',
      '      step stock | db',
      '    Shape | 1',
      '      transform | ',
      '        id | ',
      '        total | ',
      '    Deliver | 1',
      '      to db | ',
      '  list_orders | GET /orders',
      'db | 1 flow in',
      'nowhere | not declared',
    ]);
  });

  test('what is sought is left with what is above it', () => {
    expect(names([], 'stock')).toEqual([
      'api | 2 flows out',
      '  create_order | POST /orders',
      '    Gather | 1',
      '      step stock | db',
    ]);
  });

  test('arrow keys fold, unfold and go up', () => {
    const rows = outlineRows(outline, new Set());
    expect(moveInRows(rows, 'connector api', 'ArrowRight')).toEqual({ focus: 'flow create_order' });
    expect(moveInRows(rows, 'flow create_order', 'ArrowRight')).toEqual({ flip: 'flow create_order' });
    expect(moveInRows(rows, 'flow create_order', 'ArrowLeft')).toEqual({ focus: 'connector api' });
    expect(moveInRows(rows, 'connector api', 'ArrowLeft')).toEqual({ flip: 'connector api' });
    expect(moveInRows(rows, 'connector api', 'End')).toEqual({ focus: 'connector nowhere' });
  });

  test('the lines above a rule', () => {
    expect(rowsAbove(outline, places.get(`${transform}/rule 1`)!)).toEqual([
      'connector api',
      'flow create_order',
      'flow create_order/family shape',
      transform,
    ]);
  });
});

describe('keys on the canvas', () => {
  const open = new Store<ReadonlySet<string>>(new Set(['flow create_order']));
  const graph = graphOf(outline, open.value, []);
  const points = new Map(graph.nodes.map(({ id, kind }, at) => [id, { x: kind === 'flow' ? 200 : 0, y: at * 50 }]));
  const drawn = new Store({ graph, points });
  const move = (id: string | undefined, key: string, isShift = false) =>
    moveOnCanvas({ place: id === undefined ? undefined : places.get(id), drawn, open }, key, isShift);

  test('left and right follow the edges, up and down the column', () => {
    expect(move('connector api', 'ArrowRight')).toBe('flow create_order');
    expect(move('flow create_order', 'ArrowRight')).toBe('connector db');
    expect(move('connector db', 'ArrowLeft')).toBe('flow create_order');
    expect(move('flow create_order', 'ArrowDown')).toBe('flow list_orders');
    expect(move('flow list_orders', 'ArrowDown')).toBeUndefined();
  });

  test('inside of an open flow they follow lanes, stages and rules', () => {
    expect(move('flow create_order/from', 'ArrowRight')).toBe('flow create_order/step stock');
    expect(move(transform, 'ArrowDown')).toBe(`${transform}/rule 0`);
    expect(move(`${transform}/rule 0`, 'ArrowRight')).toBe('flow create_order/to');
    expect(move('flow create_order/from', 'ArrowLeft')).toBe('flow create_order');
  });

  test('Tab goes through everything and leaves at the end', () => {
    expect(move(undefined, 'Tab')).toBe('connector api');
    expect(move('flow create_order', 'Tab')).toBe('flow create_order/from');
    expect(move('connector api', 'Tab', true)).toBeUndefined();
  });
});
