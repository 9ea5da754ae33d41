import type { Change, Choose, QueueDesk, QueuedMessage, ReplayedMessage } from '../../foundation/contracts/queue.ts';
import type { DryRun, Foreseen } from './dry-run.ts';

/** A dead letter, and what its flow would do with it now. */
export interface ForeseenLetter {
  readonly message: QueuedMessage;
  readonly now: Foreseen;
}

/** Compares dead letters with what their flows would do now; each stays where it is. */
export async function compared(
  desk: QueueDesk,
  limit: number,
  choose: Choose,
  dryRun: DryRun,
  { content }: Change = {},
): Promise<readonly ForeseenLetter[]> {
  const found: ForeseenLetter[] = [];
  for (const message of await desk.peek('dead', limit, choose))
    found.push({ message, now: await dryRun(message, content) });
  return found;
}

export function passes({ end }: Foreseen): boolean {
  return end === 'passes';
}

/** Sends dead letters; of those that are chosen only what would pass now, where a dry run is given. */
export async function sendBack(
  desk: QueueDesk,
  limit: number,
  choose: Choose,
  sent: (message: ReplayedMessage) => void,
  { passing, change = {} }: { readonly passing?: DryRun | undefined; readonly change?: Change },
): Promise<void> {
  const isSent: Choose = async (message) =>
    (await choose(message)) && (passing === undefined || passes(await passing(message, change.content)));
  await desk.replay(limit, isSent, sent, change);
}
