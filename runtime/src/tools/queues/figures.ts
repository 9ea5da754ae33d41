import { kindOf } from '../../connectors/core/declaration.ts';
import type { QueueFigures } from '../../foundation/contracts/queue.ts';
import { commandCloseTime, withinTime } from '../../platform/net/within-time.ts';
import { deskOf, type QueueConnector } from './sources.ts';

/** What a broker says of the places of a connector; `reason` where it says nothing. */
export interface ConnectorFigures {
  readonly connector: string;
  readonly type: string;
  /** What it is, in the words of its configuration. */
  readonly kind: string;
  readonly places: readonly QueueFigures[];
  readonly reason?: string;
  /** The broker could not be asked: it may say something later. */
  readonly hasFailed?: true;
}

/** Milliseconds in which a broker answers all that it is asked for one connector. */
const longestAnswer = 30_000;

/** Asks the broker of a connector. Never rejects. */
export async function figuresOf(queue: QueueConnector, signal: AbortSignal): Promise<ConnectorFigures> {
  const about = { connector: queue.name, type: queue.spec.canonical, kind: kindOf(queue.spec), places: [] };
  try {
    const desk = await deskOf(queue, signal);
    if (desk === undefined) return { ...about, reason: 'it takes none, or its broker keeps none for it' };
    try {
      return { ...about, places: await withinTime(longestAnswer, () => desk.figures()) };
    } finally {
      await withinTime(commandCloseTime, () => desk.close()).catch(() => undefined);
    }
  } catch (error) {
    return { ...about, reason: error instanceof Error ? error.message : String(error), hasFailed: true };
  }
}
