import { describe, expect, test } from 'vitest';
import { Breakpoints } from './breakpoints.ts';
import { keptBreakpoints, marksOf } from './kept.ts';

describe('breakpoints that are kept for a folder', () => {
  test.each([undefined, null, 1, 'x', {}, [null, 7]])('what cannot be read is left out: %j', (value) =>
    expect(marksOf(value)).toEqual([]),
  );

  test('what fits is taken, member by member', () => {
    const value = [
      { flow: 'f', stage: 'transform', name: '', ruleIndex: 2, isEnabled: false, condition: 'x', hitCount: '3' },
      { flow: 'f', stage: 'transform', name: '', ruleIndex: 'two' },
      null,
    ];
    expect(marksOf(value)).toEqual([
      {
        flow: 'f',
        stage: 'transform',
        name: '',
        ruleIndex: 2,
        isEnabled: false,
        condition: 'x',
        hitCount: undefined,
        logMessage: undefined,
        message: '',
        hits: 0,
      },
    ]);
  });

  test('what is read is put back, in place of what is set; what a folder brings along comes after it', () => {
    const mark = {
      flow: 'f',
      stage: 'to',
      name: '',
      ruleIndex: -1,
      isEnabled: true,
      message: 'no such stage',
      hits: 3,
    };
    const first = new Breakpoints();
    first.set(mark);
    const stored = JSON.parse(JSON.stringify(keptBreakpoints(first).read()));
    expect(stored).toEqual([{ flow: 'f', stage: 'to', name: '', ruleIndex: -1, isEnabled: true }]);

    const second = new Breakpoints();
    second.set({ ...mark, flow: 'g' });
    const kept = keptBreakpoints(second);
    kept.restore(stored);
    kept.suggest([{ ...mark, flow: 'h' }]);
    const flows = () => [...second.marks.value.values()].map(({ flow }) => flow);
    expect(flows()).toEqual(['f']);
    kept.restore(undefined);
    kept.suggest([{ ...mark, flow: 'h' }]);
    expect(flows()).toEqual(['h']);
  });
});
