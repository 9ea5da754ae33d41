import { expect, test } from 'vitest';
import { anonymous, type Message } from '../../../foundation/contracts/message.ts';
import type { Drop, DropCounts, Outcome } from '../../../foundation/contracts/outcome.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { fanOut } from './fan-out.ts';

const message = (): Message => ({ input: {}, auth: anonymous, addressed: [], signal: () => undefined });
const drop = (reason: Drop['reason'], policy: Drop['policy']): Drop => ({
  kind: 'drop',
  reason,
  policy,
  expression: '',
  messageId: '',
});
const reply: Outcome = { kind: 'reply', value: 1 };

const decided = (...outcomes: (Outcome | Error)[]) =>
  fanOut(
    outcomes.map((outcome, at) => ({
      flow: `f${at}`,
      operation: undefined,
      words: {},
      deliver: async () => {
        if (outcome instanceof Error) throw outcome;
        return outcome;
      },
    })),
    message,
  );

test('a success beats every drop; a gate behind the filter beats the filter; the most demanding policy counts', async () => {
  expect(await decided(drop('accept', 'requeue'), reply)).toBe(reply);
  expect(await decided(drop('filter', 'requeue'), drop('accept', 'ack'))).toMatchObject({ reason: 'accept' });
  expect(await decided(drop('filter', 'ack'), drop('filter', 'requeue'), drop('filter', 'reject'))).toMatchObject({
    policy: 'requeue',
  });
  await expect(decided(reply, new Error('first'), new Error('second'))).rejects.toThrow('first');
});

test('a failure that may pass is that of the delivery before one that never does', async () => {
  const never = new Failure('expression_failed', 'never', { passes: 'never' });
  const away = new Failure('connector_refused', 'away');
  await expect(decided(never, away)).rejects.toBe(away);
  await expect(decided(away, never)).rejects.toBe(away);
  await expect(decided(reply, never)).rejects.toBe(never);
});

test('every flow has a message of its own, and all are waited for', async () => {
  const inputs: unknown[] = [];
  let last = false;
  const binding = (deliver: (given: Message) => Outcome | Promise<Outcome>) => ({
    flow: 'f',
    operation: undefined,
    words: {},
    deliver,
  });
  const keep = (given: Message) => {
    inputs.push(given.input);
    return reply;
  };
  const late = async (given: Message) => {
    await new Promise((resolve) => setImmediate(resolve));
    last = true;
    return keep(given);
  };
  await fanOut([binding(late), binding(keep)], message);
  expect([inputs.length, inputs[0] === inputs[1], last]).toEqual([2, false, true]);
});

test('a flow that dropped the event and asks is notified whether its drop counts, when all have ended or asked', async () => {
  const verdicts = async (...outcomes: (Outcome | Error)[]) => {
    const answers: (boolean | undefined)[] = outcomes.map(() => undefined);
    const bindings = outcomes.map((outcome, at) => ({
      flow: `f${at}`,
      operation: undefined,
      words: {},
      deliver: async (_message: Message, dropCounts?: DropCounts) => {
        await new Promise((resolve) => setImmediate(resolve));
        if (outcome instanceof Error) throw outcome;
        if (outcome.kind === 'drop') answers[at] = await dropCounts?.(outcome);
        return outcome;
      },
    }));
    await fanOut(bindings, message).catch(() => undefined);
    return answers;
  };
  const [ack, reject] = [drop('filter', 'ack'), drop('filter', 'reject')];
  expect(await verdicts(ack, reject, reject)).toEqual([false, true, false]);
  expect(await verdicts(ack, reply)).toEqual([false, undefined]);
  expect(await verdicts(reject, new Error('away'), ack)).toEqual([false, undefined, false]);
  // The only flow is the one that decides: there is no other to ask.
  expect(await verdicts(ack)).toEqual([undefined]);
});
