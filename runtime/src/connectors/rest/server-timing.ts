import type { StageTimes } from '../../foundation/contracts/message.ts';
import { systemClock } from '../../foundation/observe/clock.ts';

/** Stages that one answer names; further ones are in the whole alone. */
const mostEntries = 32;
/** Characters of the name of a stage. */
const longestName = 64;

/** Times of the stages of a flow, as the header `Server-Timing` has them (Server Timing, W3C). */
export class ServerTiming implements StageTimes {
  readonly #began = systemClock.reading();
  readonly #entries: string[] = [];

  add(stage: string, name: string, milliseconds: number): void {
    if (this.#entries.length >= mostEntries) return;
    const shown = name.replace(/[^\x20-\x7e]|["\\]/g, '_').slice(0, longestName);
    const described = shown === '' ? '' : `;desc="${shown}"`;
    this.#entries.push(`${stage.replace(/[^\w-]/g, '_')}${described};dur=${rounded(milliseconds)}`);
  }

  /** The header: first the time from the beginning of the flow until now. */
  header(): string {
    return [`total;dur=${rounded(systemClock.since(this.#began))}`, ...this.#entries].join(', ');
  }
}

function rounded(milliseconds: number): number {
  return Math.max(0, Math.round(milliseconds * 1000) / 1000);
}
