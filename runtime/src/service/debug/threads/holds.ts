import type { ThreadHolds } from '@svc/protocol/wire';
import type { EventSource } from '../../../foundation/contracts/events.ts';
import { waitingBehind } from '../../../foundation/contracts/waiting.ts';
import { printable } from '../../../foundation/observe/mask.ts';
import type { EventSources } from '../gate.ts';
import type { Thread } from './thread.ts';

/** Characters of what was asked that are shown. */
const shownAsked = 1000;

/** What each thread keeps waiting: a caller, or a message and those behind it. Brokers are asked once for all threads. */
export async function holdsOf(
  threads: readonly Thread[],
  events: EventSources | undefined,
): Promise<ReadonlyMap<Thread, ThreadHolds>> {
  const holds = new Map<Thread, ThreadHolds>();
  const counts = new Map<EventSource, Promise<number | undefined>>();
  for (const thread of threads) {
    const held = thread.frame.message.held?.();
    if (held === undefined) continue;
    if (held.kind === 'request') {
      const { method, route, timeoutMs, asked } = held;
      holds.set(thread, {
        kind: 'request',
        method,
        route,
        ...(timeoutMs !== undefined && { timeoutMs }),
        ...(asked !== undefined && { asked: askedText(thread, asked) }),
      });
      continue;
    }
    const { connector, id } = held;
    const source = events?.get(connector);
    if (source !== undefined && !counts.has(source)) counts.set(source, waitingBehind(source));
    const waiting = source && (await counts.get(source));
    const sinceMs = Math.round(held.sinceMs);
    holds.set(thread, {
      kind: 'message',
      connector,
      source: source?.name ?? '',
      id,
      sinceMs,
      waiting: waiting ?? null,
    });
  }
  return holds;
}

/** As JSON, with what is hidden masked. */
function askedText({ secrecy }: Thread, asked: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(printable(secrecy.masked(asked)));
  return text.length <= shownAsked ? text : `${text.slice(0, shownAsked)}…`;
}
