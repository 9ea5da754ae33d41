import { expect, test } from 'vitest';
import { namedRoots } from '../root-spec.ts';
import { flow } from '../spec.ts';
import { order } from './order.ts';
import { blockStages, factsOf, isAfterWork, isAsking, isShaping, lanes, makersOf, wordOf } from './stages.ts';

test('the blocks of a flow are in the order in which a message passes them', () => {
  const words = Object.keys(flow.blocks);
  expect(words).toEqual(blockStages.map(({ word }) => word));
  expect(words.slice(0, 3)).toEqual(['from', 'when', 'require']);
  expect(words.slice(-3)).toEqual(['to', 'response', 'after']);
});

test('every block of a flow is drawn in a lane, what surrounds the work in the last one', () => {
  expect(new Set(lanes.map(({ path }) => path[0]))).toEqual(new Set(Object.keys(flow.blocks)));
  expect(lanes.at(-1)).toMatchObject({ path: ['error_handling'], family: 'deliver' });
});

test('every stage that is announced has one description, and a lane unless nothing is written for it', () => {
  const announced = order.flatMap(({ stages }) => Object.keys(stages ?? {}));
  expect(announced).toEqual([...new Set(announced)]);
  const drawn = new Set(lanes.flatMap(({ stages }) => stages));
  expect(announced.filter((stage) => !drawn.has(stage))).toEqual(['sanitize', 'aspect']);
  expect([...drawn].filter((stage) => !announced.includes(stage))).toEqual([]);
});

test('fields belong to the nearest stage before their reader', () => {
  expect(makersOf('answer')).toEqual(['response', 'transform', 'enrich', 'step']);
  expect(makersOf('call')).toEqual(['write', 'transform', 'enrich', 'step']);
});

test('stages are known by the names under which they run', () => {
  expect(['write', 'cache_hit', 'aspect', 'unheard'].map(wordOf)).toEqual(['to', 'cache', 'aspect', 'unheard']);
  expect(['step', 'enrich', 'transform', 'write', 'filter'].map(isShaping)).toEqual([true, true, true, false, false]);
  expect(factsOf('unheard')).toEqual({});
  const stages = [
    'filter',
    'step',
    'read',
    'enrich',
    'transform',
    'write',
    'response',
    'validate_output',
    'after',
    'unheard',
  ];
  expect(stages.filter(isAsking)).toEqual(['step', 'read', 'enrich', 'write']);
  expect(stages.filter(isAfterWork)).toEqual(['response', 'validate_output', 'after']);
});

test('every block that others refer to by its name is one that may be unused', () => {
  expect([...namedRoots].sort()).toEqual(
    [
      ...['accept', 'cache', 'coordinate', 'dedupe', 'error_handling', 'lock', 'response', 'retry', 'semaphore'],
      ...['sequence_guard', 'state_machine', 'transaction', 'transform', 'type', 'validator'],
    ].sort(),
  );
});
