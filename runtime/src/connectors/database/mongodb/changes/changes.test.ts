import { afterEach, beforeEach, expect, test } from 'vitest';
import { until } from '../../../../../../test/support/until.ts';
import type { Message } from '../../../../foundation/contracts/message.ts';
import type { Outcome } from '../../../../foundation/contracts/outcome.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import type { EventConnector } from '../../../intake/testing/conformance.ts';
import { ChangeBed } from '../testing/source-bed.ts';

const never = new AbortController().signal;
const reply: Outcome = { kind: 'reply', value: null };

let bed: ChangeBed;
beforeEach(async () => {
  bed = await ChangeBed.make();
});
afterEach(() => bed.close());

const orders = () => bed.server.database.collection<{ _id: string; n?: number; text?: string }>('orders');
const positions = () => bed.server.database.collection('_svc_resume').find().toArray();

async function open(
  deliver: (message: Message) => Outcome | Promise<Outcome>,
  changes: Record<string, unknown> = {},
  { name, service }: { readonly name?: string; readonly service?: string } = {},
): Promise<EventConnector> {
  const connector = bed.connector(changes, { name, service });
  const flows = connector.source.bind([{ ...bed.binding, deliver }]);
  await flows.prepare();
  await connector.open(never);
  flows.use();
  await connector.source.start();
  return connector;
}

const keeping = (taken: Record<string, unknown>[]) => (message: Message) => {
  taken.push(message.input);
  return reply;
};

async function changeOne(): Promise<void> {
  await orders().insertOne({ _id: 'a', n: 1, text: 'x' });
  await orders().updateOne({ _id: 'a' }, { $set: { n: 2 }, $unset: { text: '' } });
  await orders().replaceOne({ _id: 'a' }, { n: 3 });
  await orders().deleteOne({ _id: 'a' });
}

test('a flow gets what happened, to which document, and the document', async () => {
  const taken: Record<string, unknown>[] = [];
  await open(keeping(taken));
  await changeOne();
  await until(() => taken.length === 4);
  const same = { collection: 'orders', id: 'a', timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) };
  const [made, updated, ...others] = taken;
  expect(made).toEqual({ ...same, operation: 'insert', document: { _id: 'a', n: 1n, text: 'x' } });
  expect(updated).toMatchObject({ ...same, operation: 'update', updated: { n: 2n }, removed: ['text'] });
  expect(others).toEqual([
    { ...same, operation: 'replace', document: { _id: 'a', n: 3n } },
    { ...same, operation: 'delete' },
  ]);
});

test('`document` says whether an update comes with the document as it is now', async () => {
  const [looked, bare]: Record<string, unknown>[][] = [[], []];
  const first = await open(keeping(looked as []), { document: 'lookup' });
  await orders().insertOne({ _id: 'a', n: 1 });
  await orders().updateOne({ _id: 'a' }, { $set: { n: 2 } });
  await until(() => looked?.length === 2);
  await first.close();
  await open(keeping(bare as []), { document: 'changed' });
  await orders().updateOne({ _id: 'a' }, { $set: { n: 3 } });
  await until(() => bare?.length === 1);
  expect([looked?.[1]?.['document'], 'document' in (bare?.[0] ?? {})]).toEqual([{ _id: 'a', n: 2n }, false]);
});

test('`before` is the document as it was, where the server keeps it', async () => {
  const { database } = bed.server;
  await database.createCollection('orders', { changeStreamPreAndPostImages: { enabled: true } });
  const taken: Record<string, unknown>[] = [];
  const first = await open(keeping(taken), { before: 'required' });
  await orders().insertOne({ _id: 'a', n: 1 });
  await orders().updateOne({ _id: 'a' }, { $set: { n: 2 } });
  await orders().replaceOne({ _id: 'a' }, { n: 3 });
  await orders().deleteOne({ _id: 'a' });
  await until(() => taken.length === 4);
  expect(taken.map(({ operation, before }) => [operation, before])).toEqual([
    ['insert', undefined],
    ['update', { _id: 'a', n: 1n }],
    ['replace', { _id: 'a', n: 2n }],
    ['delete', { _id: 'a', n: 3n }],
  ]);
  await first.close();
  await database.command({ collMod: 'orders', changeStreamPreAndPostImages: { enabled: false } });
  await expect(open(() => reply, { before: 'required' })).rejects.toMatchObject({
    code: 'connector_failed',
    retriable: false,
    message: expect.stringMatching(/does not keep how documents of "orders" were.*collMod/),
  });
  const bare: Record<string, unknown>[] = [];
  const second = await open(keeping(bare), { before: 'available' });
  await orders().insertOne({ _id: 'b' });
  await orders().deleteOne({ _id: 'b' });
  await until(() => bare.length === 2);
  expect(bare.map((input) => 'before' in input)).toEqual([false, false]);
  await second.close();
  const none: Record<string, unknown>[] = [];
  await database.command({ collMod: 'orders', changeStreamPreAndPostImages: { enabled: true } });
  await open(keeping(none), { before: 'none' });
  await orders().insertOne({ _id: 'c' });
  await orders().deleteOne({ _id: 'c' });
  await until(() => none.length === 2);
  expect(none.map((input) => 'before' in input)).toEqual([false, false]);
});

test('what changed while no process took changes comes later, without a gap', async () => {
  const first = await open(() => reply);
  await first.close();
  await orders().insertOne({ _id: 'a' });
  const taken: Record<string, unknown>[] = [];
  await open(keeping(taken));
  await orders().insertOne({ _id: 'b' });
  await until(() => taken.length === 2);
  expect(taken.map(({ id }) => id)).toEqual(['a', 'b']);
});

test('R-68: at most `window` changes are held, of which `workers` are handled; those of one document are in order', async () => {
  const waiting: (() => void)[] = [];
  const ids: unknown[] = [];
  const connector = await open(
    ({ input }) => {
      ids.push(input['id']);
      return new Promise((resolve) => waiting.push(() => resolve(reply)));
    },
    { window: 10, workers: 3 },
  );
  await orders().insertOne({ _id: 'same' });
  await orders().updateOne({ _id: 'same' }, { $set: { n: 1 } });
  await orders().insertMany(Array.from({ length: 20 }, (_, at) => ({ _id: `m${at}` })));
  await until(() => waiting.length === 3 && connector.source.events.unsettled === 10);
  expect(ids).toEqual(['same', 'm0', 'm1']);
  await until(() => {
    for (const go of waiting.splice(0)) go();
    return ids.length === 22 && connector.source.events.unsettled === 0;
  });
});

test('R-75: a change that keeps failing is given up after `max_retries`, and kept in `dead_letters`', async () => {
  const taken: unknown[] = [];
  const connector = await open(
    ({ input }) => {
      taken.push(input['id']);
      if (input['id'] === 'bad') throw new Failure('connector_refused', 'away');
      return reply;
    },
    { max_retries: 2, dead_letters: 'failed' },
  );
  await orders().insertMany([{ _id: 'bad' }, { _id: 'good' }]);
  await until(() => taken.filter((id) => id === 'bad').length === 3 && connector.source.events.unsettled === 0);
  const [letter, ...others] = await bed.server.database.collection('failed').find().toArray();
  expect([letter?.['reason'], letter?.['change'].documentKey, others, taken.includes('good')]).toEqual([
    'away',
    { _id: 'bad' },
    [],
    true,
  ]);
  await connector.close();
  const again: Record<string, unknown>[] = [];
  await open(keeping(again));
  await orders().insertOne({ _id: 'last' });
  await until(() => again.length > 0);
  expect(again.map(({ id }) => id)).toEqual(['last']);
});

test('R-75: of two connectors that give up the same change each keeps it', async () => {
  const away = () => {
    throw new Failure('connector_refused', 'away');
  };
  for (const name of ['billing', 'shipping']) await open(away, { max_retries: 0, dead_letters: 'failed' }, { name });
  await orders().insertOne({ _id: 'bad' });
  const letters = () => bed.server.database.collection('failed').find().toArray();
  await until(async () => (await letters()).length === 2);
  expect((await letters()).map(({ connector }) => connector).toSorted()).toEqual(['billing', 'shipping']);
});

test('R-72: while everything fails it pauses and says so, and continues by itself; nothing is lost', async () => {
  const taken = new Set<unknown>();
  let isUnavailable = true;
  const connector = await open(
    ({ input }) => {
      if (isUnavailable) throw new Failure('connector_refused', 'away');
      taken.add(input['id']);
      return reply;
    },
    { window: 10, workers: 4 },
  );
  const ids = Array.from({ length: 30 }, (_, at) => `m${at}`);
  await orders().insertMany(ids.map((_id) => ({ _id })));
  await until(() => bed.lines.some(({ message }) => message === 'deliveries pause: one message after another fails'));
  expect(connector.source.events.unsettled).toBeLessThanOrEqual(10);
  // It is degraded, and not unhealthy.
  await until(async () => typeof (await connector.check?.(never)) === 'string');
  isUnavailable = false;
  await until(() => taken.size === 30 && connector.source.events.unsettled === 0);
  expect([...taken].sort()).toEqual([...ids].sort());
});

test('A-08: of two processes one takes the changes; the other continues when it has closed', async () => {
  const [first, second]: Record<string, unknown>[][] = [[], []];
  const holder = await open(keeping(first as []));
  await open(keeping(second as []));
  await bed.publish(['1', '2']);
  await until(() => first?.length === 2);
  await holder.close();
  await bed.publish(['3']);
  await until(() => second?.length === 1);
  expect([first, second].map((taken) => taken?.map((input) => bed.textOf(input)))).toEqual([['1', '2'], ['3']]);
  expect(await positions()).toEqual([expect.objectContaining({ _id: 'test/orders/orders', done: [] })]);
});

test('two services that call their connectors the same have every change each', async () => {
  const [first, second]: Record<string, unknown>[][] = [[], []];
  await open(keeping(first as []), {}, { service: 'shop' });
  await open(keeping(second as []), {}, { service: 'reports' });
  await bed.publish(['1', '2']);
  await until(() => first?.length === 2 && second?.length === 2);
  expect([first, second].map((taken) => taken?.map((input) => bed.textOf(input)))).toEqual([
    ['1', '2'],
    ['1', '2'],
  ]);
});

test('a position that was kept without the name of a service is that of the service which begins', async () => {
  const [first, second]: Record<string, unknown>[][] = [[], []];
  const before = await open(keeping(first as []), {}, { service: 'shop' });
  await bed.publish(['1']);
  await until(() => first?.length === 1);
  await before.close();
  const [kept] = await positions();
  await bed.server.database
    .collection<{ _id: string }>('_svc_resume')
    .insertOne({ ...kept, _id: 'orders/orders' } as never);
  await bed.publish(['2']);
  await open(keeping(second as []), {}, { service: 'reports' });
  await until(() => second?.length === 1);
  expect(second?.map((input) => bed.textOf(input))).toEqual(['2']);
});

test('a position that the server no longer has is reported with its remedy, and nothing is left out in silence', async () => {
  const first = await open(() => reply);
  await first.close();
  await bed.server.database.collection('_svc_resume').updateOne({}, { $set: { token: { _data: '9999999999999999' } } });
  await expect(open(() => reply)).rejects.toMatchObject({
    code: 'connector_failed',
    retriable: false,
    message: expect.stringMatching(/changes of "orders" were lost.*_svc_resume/),
  });
});
