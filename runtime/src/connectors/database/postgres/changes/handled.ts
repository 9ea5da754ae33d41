import type { Log } from '../../../../foundation/observe/log.ts';
import type { Commit } from './progress.ts';
import type { Catalog, Slot } from './system-catalog.ts';
import { type Position, positionText } from './wire.ts';

/**
 * The last transaction that this process has handled with everything before it. A server that ended without saving its
 * slots has forgotten what was confirmed last, and would send that again.
 */
export class Handled {
  readonly #log: Log;
  #last: Commit | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  note(commit: Commit): void {
    this.#last = commit;
  }

  /**
   * Where the stream of a slot begins: behind what was handled, where the log of the server has that very transaction.
   * Otherwise (another server, one that was restored, a slot that was made again) the slot alone says so, so that no change
   * is passed over. Rejects when another process uses the slot.
   */
  async position(catalog: Catalog, slot: string, { confirmed }: Slot, publication: string): Promise<Position> {
    const last = this.#last;
    if (last === undefined || last.end <= confirmed) return confirmed;
    const places = { slot, confirmed: positionText(confirmed), handled: positionText(last.end) };
    if (await catalog.hasCommit(slot, publication, last)) {
      this.#log.info('the server has forgotten what was confirmed; changes continue behind what was handled', places);
      return last.end;
    }
    this.#last = undefined;
    this.#log.warn(
      'the log of the server does not have what was handled last: changes continue where its slot is, and may come again',
      places,
    );
    return confirmed;
  }
}
