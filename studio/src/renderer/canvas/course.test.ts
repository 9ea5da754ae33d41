import { describe, expect, test } from 'vitest';
import { newThread, type Thread } from '../debug/session/thread.ts';
import { isCurrent, stageAt, stageBefore } from './course.ts';
import { graphOf } from './graph/graph.ts';
import { lineBetween } from './graph/inner-lines.ts';
import { placesOf } from './graph/places.ts';
import { outlineOf, shop } from './testing.ts';

const outline = outlineOf(shop);
const [flow] = outline.flows;
const places = placesOf(outline);

function pausedAt(stage: string, name: string, ...before: readonly (readonly [stage: string, name: string])[]): Thread {
  const stages = before.map(([own, of]) => ({
    stage: own,
    name: of,
    startUs: 0,
    durationUs: 5,
    pausedUs: 0,
    error: '',
  }));
  return { ...newThread('t1', 1, 'create_order', {}, 1), isPaused: true, stage, name, stages };
}

function gold(thread: Thread): readonly string[] {
  const { edges } = graphOf(outline, new Set(['flow create_order']), []);
  return edges
    .filter((edge) => edge.flow === 'flow create_order' && isCurrent(edge, thread, places))
    .map(({ id }) => id);
}

describe('the way of a paused thread', () => {
  test('begins with the edge that its message came in by', () => {
    const thread = pausedAt('input', '');
    expect(stageAt(flow!, thread)?.id).toBe('flow create_order/from');
    expect(stageBefore(flow!, thread)).toBeUndefined();
    expect(gold(thread)).toEqual(['connector api > flow create_order']);
  });

  test('has the edge of the stage that was asked just before', () => {
    const thread = pausedAt('transform', '', ['input', ''], ['step', 'stock']);
    expect(stageBefore(flow!, thread)?.id).toBe('flow create_order/step stock');
    expect(gold(thread)).toEqual(['connector api > flow create_order', 'flow create_order/step stock > connector db']);
    expect(gold(pausedAt('write', 'db', ['step', 'stock'], ['transform', '']))).toEqual([
      'connector api > flow create_order',
    ]);
  });

  test('is nowhere while the thread runs', () => {
    const thread = { ...pausedAt('transform', '', ['step', 'stock']), isPaused: false };
    expect([stageAt(flow!, thread), stageBefore(flow!, thread), gold(thread)]).toEqual([undefined, undefined, []]);
  });

  test('is a line from box to box, and from the port at first', () => {
    expect(lineBetween(flow!, undefined, 'flow create_order/from')).toBe('M0 62H0V100H8');
    expect(lineBetween(flow!, 'flow create_order/step stock', 'flow create_order/transform')).toBe(
      'M216 100H224V100H232',
    );
    expect(lineBetween(flow!, 'flow create_order/step gone', 'flow create_order/transform')).toBeUndefined();
  });
});
