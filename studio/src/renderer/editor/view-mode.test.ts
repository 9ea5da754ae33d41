import { expect, test } from 'vitest';
import type { EditorsState } from '../shell/layout.ts';
import { modeOf, withMode } from './view-mode.ts';

const text: EditorsState = { groups: [{ tabs: ['text:a.hcl', 'text:b.hcl'], active: 'text:a.hcl' }], focused: 0 };
const split: EditorsState = {
  groups: [
    { tabs: ['text:a.hcl', 'text:b.hcl'], active: 'text:a.hcl' },
    { tabs: ['canvas:'], active: 'canvas:' },
  ],
  focused: 0,
};
const canvas: EditorsState = {
  groups: [{ tabs: ['text:a.hcl', 'text:b.hcl', 'canvas:'], active: 'canvas:' }],
  focused: 0,
};

test('what is shown is known by the active tabs', () => {
  expect([text, split, canvas].map(modeOf)).toEqual(['text', 'split', 'canvas']);
  expect(modeOf({ groups: [{ tabs: ['welcome:'], active: 'welcome:' }], focused: 0 })).toBe(undefined);
});

test('every mode leads to every other', () => {
  for (const from of [text, split, canvas]) {
    expect(withMode(from, 'text', 'text:a.hcl')).toEqual(text);
    expect(withMode(from, 'split', 'text:a.hcl')).toEqual(split);
    expect(withMode(from, 'canvas', 'text:a.hcl')).toEqual(canvas);
  }
});

test('a text that is not open is opened', () => {
  const alone: EditorsState = { groups: [{ tabs: ['canvas:'], active: 'canvas:' }], focused: 0 };
  expect(withMode(alone, 'split', 'text:b.hcl')).toEqual({
    groups: [
      { tabs: ['text:b.hcl'], active: 'text:b.hcl' },
      { tabs: ['canvas:'], active: 'canvas:' },
    ],
    focused: 0,
  });
  expect(withMode(alone, 'text', undefined)).toEqual({ groups: [{ tabs: [], active: undefined }], focused: 0 });
});

test('a second group of texts keeps its tabs below the canvas', () => {
  const two: EditorsState = {
    groups: [text.groups[0] as (typeof text.groups)[0], { tabs: ['text:c.hcl'], active: 'text:c.hcl' }],
    focused: 1,
  };
  expect(withMode(two, 'split', undefined).groups[1]).toEqual({ tabs: ['text:c.hcl', 'canvas:'], active: 'canvas:' });
  expect(withMode(two, 'text', undefined)).toEqual(two);
});
