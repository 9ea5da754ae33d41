import { describe, expect, test } from 'vitest';
import { anonymous } from '../../../foundation/contracts/message.ts';
import type { Drop } from '../../../foundation/contracts/outcome.ts';
import { compose } from './compose.ts';
import { Frame } from './frame.ts';
import type { Part, Step } from './part.ts';

const frame = () =>
  new Frame({ input: Object.create(null), auth: anonymous, signal: () => undefined, addressed: [] }, {});
const drop: Drop = { kind: 'drop', reason: 'filter', policy: 'ack', expression: '', messageId: '' };
const part = (title: string, step: Step): Part => ({ stage: undefined, name: '', title, step });
/** A step that records its name, at once or a turn later. */
const note = (log: string[], name: string, late = false): Part =>
  part(name, () => {
    log.push(name);
    return late ? Promise.resolve(undefined) : undefined;
  });
const around = (log: string[], name: string): Part => ({
  title: name,
  around: (next) => (f) => {
    log.push(`${name} in`);
    const outcome = next(f);
    log.push(`${name} out`);
    return outcome;
  },
});

describe('composed parts', () => {
  test('run in order, arounds around what follows, and answer at once when nothing waits', () => {
    const log: string[] = [];
    const parts = [note(log, 'a'), around(log, 'x'), note(log, 'b'), note(log, 'c'), around(log, 'y'), note(log, 'd')];
    expect(compose(parts, 'f')(frame())).toEqual({ kind: 'reply', value: null, status: undefined, headers: undefined });
    expect(log).toEqual(['a', 'x in', 'b', 'c', 'y in', 'd', 'y out', 'x out']);
  });

  test('keep their order when some of them wait', async () => {
    const log: string[] = [];
    const parts = [note(log, 'a', true), note(log, 'b'), note(log, 'c', true), note(log, 'd')];
    const outcome = compose(parts, 'f')(frame());
    expect(outcome).toBeInstanceOf(Promise);
    expect(await outcome).toMatchObject({ kind: 'reply' });
    expect(log).toEqual(['a', 'b', 'c', 'd']);
  });

  test.each([[false], [true]])('end with the outcome of a part (late: %s)', async (late) => {
    const log: string[] = [];
    const stop = part('stop', () => (late ? Promise.resolve(drop) : drop));
    expect(await compose([note(log, 'a'), stop, note(log, 'b')], 'f')(frame())).toBe(drop);
    expect(log).toEqual(['a']);
  });

  test.each([[false], [true]])('name the part that failed (late: %s)', async (late) => {
    const log: string[] = [];
    const fail = part('broken', () => {
      if (late) return Promise.reject(new Error('no'));
      throw new Error('no');
    });
    const run = compose([note(log, 'a', late), fail, note(log, 'b')], 'f');
    const failed = Promise.resolve().then(() => run(frame()));
    await expect(failed).rejects.toMatchObject({ code: 'internal', message: 'no', at: { flow: 'f', stage: 'broken' } });
  });
});
