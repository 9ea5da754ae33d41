import type { Change, Choose, QueueDesk, QueuedMessage, QueueFigures } from '../../foundation/contracts/queue.ts';
import type { DryRun, Foreseen } from '../../tools/queues/dry-run.ts';
import type { ConnectorFigures } from '../../tools/queues/figures.ts';
import { compared, passes, sendBack } from '../../tools/queues/letters.ts';
import { escaped, shownMessage, textOfMessage } from '../../tools/queues/shown.ts';
import type { Writer } from '../command.ts';

/** What a person asks of messages that a broker keeps. */
export interface AskedOfDesk {
  readonly limit: number;
  readonly isJson: boolean;
  readonly isConfirmed: boolean;
  /** `peek`: dead letters, not messages that wait. */
  readonly isDead: boolean;
  /** `replay`: dead letters that would pass now. */
  readonly onlyPassing: boolean;
  /** `replay`: what is changed of them. */
  readonly change: Change;
}

/** A result for programs, and the same for people. */
export interface Printed {
  readonly json: object;
  readonly lines: readonly string[];
}

export async function peek(desk: QueueDesk, { isDead, limit }: AskedOfDesk, choose: Choose): Promise<Printed> {
  const found = await desk.peek(isDead ? 'dead' : 'waiting', limit, choose);
  const none = isDead ? 'No dead letters.' : 'No messages wait.';
  return {
    json: { messages: await Promise.all(found.map(shownMessage)) },
    lines: found.length === 0 ? [none] : await textsOf(found),
  };
}

/** Sends dead letters back; unconfirmed it shows them, each with what its flow would do now. */
export async function replay(
  desk: QueueDesk,
  asked: AskedOfDesk,
  choose: Choose,
  dryRun: () => Promise<DryRun>,
  out: Writer,
): Promise<Printed> {
  const { isConfirmed, isJson, limit, onlyPassing, change } = asked;
  if (!isConfirmed) return unsent(asked, await compared(desk, limit, choose, await dryRun(), change));
  const passing = onlyPassing ? await dryRun() : undefined;
  const replayed: Promise<object>[] = [];
  let count = 0;
  await sendBack(
    desk,
    limit,
    choose,
    (message) => {
      const { source, position, to } = message;
      count++;
      if (isJson) replayed.push(shownMessage(message).then((shown) => ({ ...shown, to })));
      else out.write(`${source} ${position} -> ${to}\n`);
    },
    { passing, change },
  );
  return {
    json: { replayed: await Promise.all(replayed), dead_letters: [] },
    lines: [`${counted(count)} sent ${destinationOf(change)}`],
  };
}

async function unsent(
  { onlyPassing, change }: AskedOfDesk,
  found: Awaited<ReturnType<typeof compared>>,
): Promise<Printed> {
  const passing = found.filter(({ now }) => passes(now)).length;
  const sent = onlyPassing ? passing : found.length;
  const letters = found.map(async ({ message, now }) => ({ ...(await shownMessage(message)), now }));
  const texts = found.map(async ({ message, now }) => [...(await textOfMessage(message)), nowText(now)]);
  return {
    json: { replayed: [], dead_letters: await Promise.all(letters), passing },
    lines:
      found.length === 0
        ? ['No dead letters.']
        : [
            ...(await Promise.all(texts)).flat(),
            `${passing} of ${found.length} would pass now; no connector was called.`,
            `Nothing was sent: --yes sends ${counted(sent)} ${destinationOf(change)}.`,
          ],
  };
}

async function textsOf(found: readonly QueuedMessage[]): Promise<readonly string[]> {
  return (await Promise.all(found.map(textOfMessage))).flat();
}

function destinationOf({ to }: Change): string {
  return to === undefined ? 'back' : `to ${to}`;
}

/** Removes dead letters for good; unconfirmed it shows them. */
export async function discard(
  desk: QueueDesk,
  { isConfirmed, isJson, limit }: AskedOfDesk,
  choose: Choose,
  out: Writer,
): Promise<Printed> {
  if (!isConfirmed) {
    const found = await desk.peek('dead', limit, choose);
    const last =
      found.length === 0 ? 'No dead letters.' : `Nothing was removed: --yes removes ${counted(found.length)} for good.`;
    return {
      json: { discarded: [], dead_letters: await Promise.all(found.map(shownMessage)) },
      lines: [...(await textsOf(found)), last],
    };
  }
  const discarded: Promise<object>[] = [];
  let count = 0;
  await desk.discard(limit, choose, (message) => {
    count++;
    if (isJson) discarded.push(shownMessage(message));
    else out.write(`${message.source} ${message.position} removed\n`);
  });
  return { json: { discarded: await Promise.all(discarded), dead_letters: [] }, lines: [`${counted(count)} removed`] };
}

/** What brokers say of their queues; of what they do not say it tells that. */
export function list(all: readonly ConnectorFigures[]): Printed {
  const lines = all.flatMap(({ connector, kind, places, reason }) => [
    `${connector} (${kind})${reason === undefined ? '' : `: ${reason}`}`,
    ...places.flatMap(placeLines),
  ]);
  return {
    json: { connectors: all.map(({ hasFailed: _, kind: __, ...rest }) => rest) },
    lines: lines.length === 0 ? ['The configuration has no queue.'] : lines.map(escaped),
  };
}

function placeLines({ source, side, isMissing, ready, unacknowledged, consumers, partitions = [] }: QueueFigures) {
  const title = `  ${side === 'dead' ? 'dead letters' : 'waiting'} ${source}`;
  if (isMissing) return [`${title}: does not exist at the broker`];
  const said = (name: string, value: number | undefined) => (value === undefined ? [] : [`${value} ${name}`]);
  const figures = [
    ...said(partitions.length > 0 ? 'behind' : 'ready', ready),
    ...(side === 'dead' ? [] : [...said('unacknowledged', unacknowledged), ...said('consumers', consumers)]),
  ];
  const behind = partitions.filter(({ lag }) => lag > 0);
  return [
    `${title}: ${figures.join(', ')}`,
    ...(partitions.length < 2
      ? []
      : behind.map(
          ({ partition, lag, committed, end }) => `    partition ${partition}: ${lag} behind, ${committed} of ${end}`,
        )),
  ];
}

function nowText({ flow, end, reason }: Foreseen): string {
  const words = { passes: 'passes', dropped: 'is turned away', fails: 'fails', unknown: 'is unknown' }[end];
  return escaped(
    `  now ${words}${flow === undefined ? '' : ` in ${flow}`}${reason === undefined ? '' : `: ${reason}`}`,
  );
}

export function counted(count: number): string {
  return count === 1 ? '1 message' : `${count} messages`;
}
