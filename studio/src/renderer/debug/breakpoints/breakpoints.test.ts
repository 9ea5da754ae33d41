import { expect, test } from 'vitest';
import { Breakpoints, type StopPlace } from './breakpoints.ts';
import { shapeOf, spoken } from './mark-shape.ts';

const total: StopPlace = { flow: 'order', stage: 'transform', name: '', ruleIndex: 2 };

function setUp() {
  const breakpoints = new Breakpoints();
  const notified: string[] = [];
  breakpoints.changed = (flow) => notified.push(flow);
  breakpoints.toggle(total);
  const mark = () => [...breakpoints.marks.value.values()][0];
  return { breakpoints, notified, mark };
}

test('setting, changing and removing tells the flow, and sends what is on', () => {
  const { breakpoints, notified, mark } = setUp();
  expect(breakpoints.wanted('order')).toEqual([{ stage: 'transform', ruleIndex: 2 }]);
  breakpoints.set({ ...mark()!, condition: 'input.id > 1', hitCount: 3, logMessage: 'seen' });
  expect(breakpoints.wanted('order')).toEqual([
    { stage: 'transform', ruleIndex: 2, condition: 'input.id > 1', hitCount: 3, logMessage: 'seen' },
  ]);
  breakpoints.set({ ...mark()!, isEnabled: false });
  expect(breakpoints.wanted('order')).toEqual([]);
  breakpoints.toggle(total);
  expect([breakpoints.marks.value.size, notified]).toEqual([0, ['order', 'order', 'order', 'order']]);
});

test('muted ones stay and are not sent', () => {
  const { breakpoints, mark } = setUp();
  breakpoints.mute(true);
  expect([breakpoints.wanted('order'), shapeOf(mark()!, true)]).toEqual([[], 'breakpoint-unverified']);
  breakpoints.mute(false);
  expect(breakpoints.wanted('order').length).toBe(1);
});

test('what the service says of one is kept until it is gone', () => {
  const { breakpoints, mark } = setUp();
  const answer = { stage: 'transform', ruleIndex: 2, verified: false, message: 'there is no rule 3' };
  breakpoints.checked('order', [answer]);
  breakpoints.hit(total);
  expect(spoken(mark()!)).toBe(
    'Breakpoint before rule 3 of transform, 1 hit, not in the running version: there is no rule 3',
  );
  breakpoints.forgetAnswers();
  expect(mark()).toMatchObject({ verified: undefined, message: '', hits: 0 });
});
