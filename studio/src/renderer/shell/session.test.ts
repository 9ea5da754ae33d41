import { describe, expect, test } from 'vitest';
import { readSession } from './session.ts';

const nothing = { layout: {}, editors: undefined };
const isKind = (kind: string) => kind === 'text';

describe('what is kept of a window', () => {
  test.each([undefined, null, 1, 'x', [], { layout: [], editors: { groups: 7 } }])(
    'what cannot be read is left out: %j',
    (value) => expect(readSession(value, isKind)).toEqual(nothing),
  );

  test('what fits is taken, member by member', () => {
    const value = {
      layout: { sideView: 'search', isSideOpen: 'yes', sideWidth: 300, panelHeight: 5_000, unknown: 1 },
      editors: {
        groups: [
          { tabs: ['text:a', 'text:a', 'gone:b', 3, 'text:c'], active: 'text:c' },
          { tabs: ['gone:x'], active: 'gone:x' },
        ],
        focused: 1,
      },
    };
    expect(readSession(value, isKind)).toEqual({
      layout: { sideView: 'search', sideWidth: 300 },
      editors: { groups: [{ tabs: ['text:a', 'text:c'], active: 'text:c' }], focused: 0 },
    });
  });
});
