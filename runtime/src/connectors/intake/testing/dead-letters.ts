import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LogLine, recordingLog } from '../../../../../test/support/connector-services.ts';
import { until } from '../../../../../test/support/until.ts';
import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import type { Outcome } from '../../../foundation/contracts/outcome.ts';
import type { QueueDesk, QueuedMessage } from '../../../foundation/contracts/queue.ts';
import type { Binding } from '../../../foundation/contracts/source.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { systemClock } from '../../../foundation/observe/clock.ts';
import { uncounted } from '../uncounted.ts';
import type { EventConnector } from './conformance.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A place at a real broker whose messages two connectors take, each of them all, and what these give up. */
export interface DeadLetterBed {
  /** Makes one of the two, which gives a message up after its first try. It is neither bound nor open; the suite closes it. */
  connector(which: 0 | 1, services: Pick<ConnectorServices, 'log' | 'clock' | 'sources'>): EventConnector;
  readonly binding: Omit<Binding, 'deliver'>;
  /** What senders may say that the broker acts on, by the names that flows know. */
  readonly honoured: readonly Fields[];
  /** Sends one message to both; resolves when the broker has it. */
  publish(body: string, honoured?: Fields): Promise<void>;
  /** What a flow was given, as far as `honoured` may name it. */
  fieldsOf(input: Fields): Fields;
  /** Letters that the broker has of both. */
  letters(): Promise<number>;
  /** Messages of both that are not settled. */
  waiting(): Promise<number>;
  /** From now on the place of the letters takes none, or takes them again. */
  take(isTaking: boolean): Promise<void>;
  /** A letter that is sent back comes to all that take from its place, not to the one alone that gave it up. */
  readonly returnsToAll: boolean;
  close(): Promise<void>;
}

const never = new AbortController().signal;
const reply: Outcome = { kind: 'reply', value: null };

/** What every broker promises that keeps what was given up. A new one joins with one call. */
export function deadLetterConformance(name: string, makeBed: () => Promise<DeadLetterBed>): void {
  describe(`dead letters of ${name}`, () => {
    let bed: DeadLetterBed;
    let cleanups: (() => Promise<unknown>)[];
    let lines: LogLine[];
    let [rejected, isUnavailable] = [0, true];
    let taken: Fields[][];
    let connectors: readonly EventConnector[];
    beforeEach(async () => {
      bed = await makeBed();
      cleanups = [() => bed.close()];
      [lines, taken, rejected, isUnavailable] = [[], [[], []], 0, true];
      connectors = [await open(0), await open(1)];
    });
    afterEach(async () => {
      for (const clean of cleanups.reverse()) await clean();
    });

    async function open(which: 0 | 1): Promise<EventConnector> {
      const sources = { of: () => ({ ...uncounted, rejected: () => void rejected++ }) };
      const connector = bed.connector(which, { log: recordingLog(lines), clock: hundredfold, sources });
      cleanups.push(() => connector.close());
      const deliver: Binding['deliver'] = async ({ input }) => {
        if (isUnavailable) throw new Failure('connector_refused', 'away');
        taken[which]?.push(input);
        return reply;
      };
      const flows = connector.source.bind([{ ...bed.binding, deliver }]);
      await flows.prepare();
      await connector.open(never);
      flows.use();
      await connector.source.start();
      return connector;
    }

    async function openDesk(): Promise<QueueDesk> {
      const desk = await connectors[0]?.openDesk?.({ operations: [], signal: never });
      if (desk === undefined) throw new Error('the connector has no desk');
      cleanups.push(() => desk.close());
      return desk;
    }

    /** Sends a message for each thing that a broker acts on; each of the two gives up all of them. */
    async function given(): Promise<number> {
      for (const [at, honoured] of bed.honoured.entries()) {
        await bed.publish(`m${at}`, honoured);
        await until(() => rejected === (at + 1) * 2);
      }
      await until(async () => (await bed.waiting()) === 0);
      return bed.honoured.length * 2;
    }
    const inputOf = async (message: QueuedMessage) => (await message.again().input(undefined)) as Fields;
    /** What senders said of each message, by their bodies. */
    const saidIn = (inputs: readonly Fields[]) =>
      inputs
        .map((input) => [input['body'], bed.fieldsOf(input)] as const)
        .toSorted(([a], [b]) => String(a).localeCompare(String(b)));
    const sent = (times: number) =>
      bed.honoured.flatMap((honoured, at) => Array(times).fill([`m${at}`, expect.objectContaining(honoured)]));

    test('R-75: of two that give up the same messages each has a letter of its own, whatever the senders asked of the broker', async () => {
      const count = await given();
      const shown = await (await openDesk()).peek('dead', 1_000, () => true);
      expect(shown).toHaveLength(count);
      // A broker counts those that were shown once it has them back.
      await until(async () => (await bed.letters()) === count);
      expect(saidIn(await Promise.all(shown.map(inputOf)))).toEqual(sent(2));
    });

    test('sent back, each letter is handled once, with what its sender said', async () => {
      const count = await given();
      isUnavailable = false;
      const desk = await openDesk();
      let back = 0;
      await desk.replay(
        1_000,
        () => true,
        () => void back++,
      );
      const each = bed.returnsToAll ? 2 : 1;
      await until(() => taken.every((inputs) => inputs.length >= bed.honoured.length * each));
      await until(async () => (await bed.waiting()) === 0);
      expect(back).toBe(count);
      for (const inputs of taken) expect(saidIn(inputs)).toEqual(sent(each));
      expect(await desk.peek('dead', 1_000, () => true)).toEqual([]);
    });

    test('given up again after it was sent back, a message has a letter again, with what its sender said', async () => {
      const count = await given();
      const desk = await openDesk();
      const before = rejected;
      await desk.replay(
        1_000,
        () => true,
        () => undefined,
      );
      await until(() => rejected === before + count * (bed.returnsToAll ? 2 : 1));
      await until(async () => (await bed.waiting()) === 0);
      const shown = await desk.peek('dead', 1_000, () => true);
      expect(saidIn(await Promise.all(shown.map(inputOf)))).toEqual(sent(bed.returnsToAll ? 4 : 2));
    });

    test('a letter that is not taken leaves its message where it is, with a line that says why; it is counted when it is kept', async () => {
      await bed.take(false);
      await bed.publish('bad');
      const refused = () => lines.filter(({ message }) => message.startsWith('message not kept as a dead letter'));
      await until(() => refused().length >= 2);
      expect([rejected, await bed.letters(), await bed.waiting()]).toEqual([0, 0, 2]);
      expect(refused()[0]).toMatchObject({ level: 'error', fields: { reason: 'away', error: expect.any(String) } });
      await bed.take(true);
      await until(() => rejected === 2);
      await until(async () => (await bed.waiting()) === 0);
      expect(await bed.letters()).toBe(2);
    });
  });
}

/** Pauses of failed messages take a hundredth of their time. */
const hundredfold = {
  ...systemClock,
  sleep: (milliseconds: number, signal?: AbortSignal) =>
    systemClock.sleep(milliseconds > 150 ? milliseconds / 100 : milliseconds, signal),
};
