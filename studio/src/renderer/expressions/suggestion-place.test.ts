import { expect, test } from 'vitest';
import { placeSuggestions } from './suggestion-place.ts';

const window = { width: 1000, height: 800 };
const list = { width: 300, height: 280 };
const fieldAt = (left: number, top: number) => ({ left, top, right: left + 200, bottom: top + 20 });

test('suggestions are on the side that is preferred while it has room', () => {
  expect(placeSuggestions(fieldAt(100, 400), list, window, false)).toEqual({
    left: 92,
    top: undefined,
    bottom: 406,
    height: 386,
  });
  expect(placeSuggestions(fieldAt(100, 400), list, window, true)).toEqual({
    left: 92,
    top: 426,
    bottom: undefined,
    height: 366,
  });
});

test('suggestions are on the other side where the preferred one has little room', () => {
  expect(placeSuggestions(fieldAt(100, 40), list, window, false)).toMatchObject({ top: 66, height: 726 });
  expect(placeSuggestions(fieldAt(100, 760), list, window, true)).toMatchObject({ bottom: 46, height: 746 });
});

test('a short list needs little room, and every list stays inside the window', () => {
  const short = { width: 300, height: 40 };
  expect(placeSuggestions(fieldAt(100, 60), short, window, false)).toMatchObject({ bottom: 746, height: 46 });
  expect(placeSuggestions(fieldAt(900, 400), list, window, true).left).toBe(692);
  expect(placeSuggestions(fieldAt(0, 400), list, { width: 200, height: 800 }, true).left).toBe(8);
});
