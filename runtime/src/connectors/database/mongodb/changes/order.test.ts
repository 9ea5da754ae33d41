import { afterEach, beforeEach, expect, test } from 'vitest';
import { until } from '../../../../../../test/support/until.ts';
import type { Message } from '../../../../foundation/contracts/message.ts';
import type { Outcome } from '../../../../foundation/contracts/outcome.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import type { EventConnector } from '../../../intake/testing/conformance.ts';
import { ChangeBed } from '../testing/source-bed.ts';

const never = new AbortController().signal;
const reply: Outcome = { kind: 'reply', value: null };
const away = () => new Failure('connector_refused', 'away');

let bed: ChangeBed;
beforeEach(async () => {
  bed = await ChangeBed.make();
});
afterEach(() => bed.close());

const orders = () => bed.server.database.collection<{ _id: string; n: number }>('orders');
const position = async () => {
  const [kept] = await bed.server.database.collection('_svc_resume').find().toArray();
  return { token: kept?.['token']._data as string, done: (kept?.['done'] ?? []) as string[] };
};

async function open(
  deliver: (message: Message) => Outcome | Promise<Outcome>,
  changes: Record<string, unknown> = {},
): Promise<EventConnector> {
  const connector = bed.connector({ document: 'changed', ...changes });
  const flows = connector.source.bind([{ ...bed.binding, deliver }]);
  await flows.prepare();
  await connector.open(never);
  flows.use();
  await connector.source.start();
  return connector;
}

/** Which document, and which of its changes. */
function stepOf({ input }: Message): { readonly id: string; readonly n: number } {
  const { id, document, updated } = input as Record<string, Record<string, unknown>>;
  return { id: String(id), n: Number((document ?? updated)?.['n']) };
}

const tokenOf = (message: Message) => (message as unknown as { held(): { readonly id: string } }).held().id;

/** As many changes of each document: all documents once, then all again. */
async function change(documents: number, changes: number): Promise<void> {
  const ids = Array.from({ length: documents }, (_, at) => `d${at}`);
  await orders().insertMany(ids.map((_id) => ({ _id, n: 0 })));
  for (let n = 1; n < changes; n++) for (const _id of ids) await orders().updateOne({ _id }, { $set: { n } });
}

type Failing = (step: ReturnType<typeof stepOf>) => Outcome | Failure | undefined;

/** A flow that takes the changes of documents, and keeps those that came before an earlier one had succeeded. */
class Follower {
  readonly #failing: Failing;
  readonly #next = new Map<string, number>();
  readonly #turnedBack = new Set<string>();
  readonly #begins = Promise.withResolvers<void>();
  readonly overtaking: string[] = [];
  succeeded = 0;

  /** `failing` says what becomes of the first try of a change; undefined: it succeeds. */
  constructor(failing: Failing) {
    this.#failing = failing;
  }

  /** Until then nothing that was begun ends. */
  begin(): void {
    this.#begins.resolve();
  }

  readonly deliver = async (message: Message): Promise<Outcome> => {
    const step = stepOf(message);
    const name = `${step.id}/${step.n}`;
    if (step.n !== (this.#next.get(step.id) ?? 0)) this.overtaking.push(name);
    await this.#begins.promise;
    const first = this.#turnedBack.has(name) ? undefined : this.#failing(step);
    this.#turnedBack.add(name);
    if (first instanceof Failure) throw first;
    if (first !== undefined) return first;
    this.#next.set(step.id, step.n + 1);
    this.succeeded++;
    return reply;
  };
}

const putBack: Outcome = {
  kind: 'drop',
  policy: 'requeue',
  reason: 'filter',
  expression: 'x',
  messageId: '',
  maxRequeue: 5,
};

test.for([
  { workers: 1, window: 10 },
  { workers: 8, window: 10 },
  { workers: 8, window: 100 },
])(
  'R-77: no change of a document passes one before it that fails or is put back ($workers workers, window $window)',
  async (settings) => {
    const follower = new Follower(({ id, n }) => {
      if (id === 'd2' || n % 3 === 1) return away();
      return n % 3 === 2 ? putBack : undefined;
    });
    const { source } = await open(follower.deliver, settings);
    await change(6, 8);
    await until(() => source.events.unsettled === Math.min(48, settings.window));
    follower.begin();
    await until(() => follower.succeeded >= 48 && source.events.unsettled === 0);
    expect([follower.overtaking, follower.succeeded]).toEqual([[], 48]);
    await until(async () => (await position()).done.length === 0);
  },
);

test('R-77: a change that fails holds up its document alone', async () => {
  const taken: string[] = [];
  const { source } = await open(
    (message) => {
      const { id, n } = stepOf(message);
      if (id === 'd1' && n === 0 && taken.length < 9) throw away();
      taken.push(`${id}/${n}`);
      return reply;
    },
    { workers: 4 },
  );
  await change(4, 3);
  await until(() => taken.length === 12 && source.events.unsettled === 0);
  expect(taken.slice(-3)).toEqual(['d1/0', 'd1/1', 'd1/2']);
});

test('R-45: with `order = "commit"` a change that fails holds up everything behind it', async () => {
  const taken: string[] = [];
  let tries = 0;
  let isUnavailable = true;
  const { source } = await open(
    (message) => {
      const { id, n } = stepOf(message);
      if (id === 'd1' && n === 0 && isUnavailable) {
        tries++;
        throw away();
      }
      taken.push(`${id}/${n}`);
      return reply;
    },
    { workers: 4, order: 'commit' },
  );
  await change(3, 2);
  await until(() => tries >= 3);
  expect(taken).toEqual(['d0/0']);
  isUnavailable = false;
  await until(() => taken.length === 6 && source.events.unsettled === 0);
  expect(taken).toEqual(['d0/0', 'd1/0', 'd2/0', 'd0/1', 'd1/1', 'd2/1']);
});

test('R-66: the position that is kept passes nothing that failed: after a restart exactly that comes again, in order', async () => {
  const before = new Map<string, string>();
  const failing = await open(
    (message) => {
      const { id, n } = stepOf(message);
      before.set(`${id}/${n}`, tokenOf(message));
      if (id === 'd1') throw away();
      return reply;
    },
    { workers: 4 },
  );
  await change(3, 3);
  await until(async () => (await position()).done.length === 5);
  const { token, done } = await position();
  expect(token).toBe(before.get('d0/0'));
  expect(done.toSorted()).toEqual(
    ['d2/0', 'd0/1', 'd2/1', 'd0/2', 'd2/2'].map((name) => before.get(name) as string).toSorted(),
  );
  await failing.close();
  const taken: string[] = [];
  const { source } = await open((message) => {
    const { id, n } = stepOf(message);
    taken.push(`${id}/${n}`);
    return reply;
  });
  await until(() => taken.length === 3 && source.events.unsettled === 0);
  expect(taken).toEqual(['d1/0', 'd1/1', 'd1/2']);
  await until(async () => (await position()).done.length === 0);
});

test('R-75: a change whose dead letter cannot be written is not over: it comes again, and is kept then', async () => {
  const tries: string[] = [];
  await open(
    (message) => {
      tries.push(stepOf(message).id);
      throw away();
    },
    { max_retries: 0, dead_letters: 'failed' },
  );
  const isLetter = { failCommands: ['update'], namespace: `${bed.server.name}.failed`, errorCode: 13 };
  await bed.server.fail({ times: 1 }, isLetter);
  await orders().insertOne({ _id: 'bad', n: 0 });
  const letters = () =>
    bed.server.database.collection<{ _id: string; change: { documentKey: unknown } }>('failed').find().toArray();
  await until(async () => (await letters()).length === 1);
  expect([tries, (await letters())[0]?.change.documentKey]).toEqual([['bad', 'bad'], { _id: 'bad' }]);
});
