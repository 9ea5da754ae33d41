import { expect, test } from 'vitest';
import { Gate } from './gate.ts';

test('the timeout of those that wait is suspended while a debugger holds the transaction, and continues after it', async () => {
  const over = Promise.withResolvers<void>();
  const held = (name: string) => {
    const gate = new Gate(name, 20);
    return { gate, transaction: gate.hold(() => over.promise, undefined) };
  };
  const [paused, resumed, plain] = [held('paused'), held('resumed'), held('plain')];
  const early = paused.gate.pass(() => 'early', undefined);
  paused.gate.pause();
  const late = paused.gate.pass(() => 'late', undefined);
  const cut = resumed.gate.pass(() => 'cut', undefined);
  resumed.gate.pause()();
  // The time of the others is over when that of these is.
  const lost = await Promise.allSettled([cut, plain.gate.pass(() => 'plain', undefined)]);
  const timeout = { status: 'rejected', reason: { code: 'connector_busy' } };
  expect(lost).toMatchObject([timeout, timeout]);
  over.resolve();
  expect(await Promise.all([early, late])).toEqual(['early', 'late']);
});
