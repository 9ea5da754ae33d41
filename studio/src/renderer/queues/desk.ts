import type { Bridge, DeadLetter, KeptMessage } from '../../shared/services.ts';
import type { Notices } from '../shell/notices.ts';
import { Store } from '../state/store.ts';
import type { QueueSource } from './sources.ts';

/** Messages that are looked at first, by how many more are shown at a time, and how many are shown at most. */
export const peeked = 20;
export const mostPeeked = 400;

/** Messages that wait for flows, or those that were given up. */
export type Side = 'waiting' | 'dead';

/** What a look at one side has found. */
export interface Look {
  /** Undefined while the first look is under way. */
  readonly messages: readonly (KeptMessage | DeadLetter)[] | undefined;
  /** The condition that they were chosen by; an empty text where every message was. */
  readonly where: string;
  /** So many were looked for. */
  readonly limit: number;
  /** How many there are, as the broker says; undefined where it does not, or of those of a condition. */
  readonly all?: number | undefined;
  /** By `Date.now()`. */
  readonly at: number;
  readonly isLooking: boolean;
}

/** Which dead letters are sent, and where to. */
export interface Sending {
  /** Only those that would pass now. */
  readonly passing?: boolean;
  /** Where to; to where they came from without it. */
  readonly to?: string;
  /** All that are shown without it. */
  readonly letters?: readonly KeptMessage[];
}

/** A message that is to be published. */
export interface Draft {
  readonly text: string;
  /** An empty text: where the flows of the connector take messages from. */
  readonly target: string;
  /** Why there is no message of the type of the flows. */
  readonly reason: string | undefined;
}

/** The messages that brokers keep, as far as the person looked at them. Looking takes none. */
export class Desk {
  /** By connector and side. */
  readonly looks = new Store<ReadonlyMap<string, Look>>(new Map());
  readonly #bridge: Bridge;
  readonly #notices: Notices;
  /** Of folders: what was asked of one is not shown for the next. */
  #folder = 0;

  constructor(bridge: Bridge, notices: Notices) {
    this.#bridge = bridge;
    this.#notices = notices;
  }

  lookOf(connector: string, side: Side): Look | undefined {
    return this.looks.value.get(keyOf(connector, side));
  }

  /**
   * Looks at the next messages for which a condition is true, that of the look before where it is left out; a failure leaves
   * what was found before. One look at a time for each side.
   */
  async look(connector: string, side: Side, condition?: string, most?: number): Promise<void> {
    const before = this.lookOf(connector, side);
    if (before?.isLooking) return;
    const folder = this.#folder;
    const where = condition ?? before?.where ?? '';
    const limit = most ?? before?.limit ?? peeked;
    const { messages: found, where: chosen = '', limit: had = limit, at = Date.now() } = before ?? {};
    this.#set(connector, side, { messages: found, where: chosen, limit: had, all: before?.all, at, isLooking: true });
    try {
      const service = side === 'dead' ? 'service.deadLetters' : 'service.peek';
      const { messages } = await this.#bridge.call(service, { connector, ...chosenBy(where), limit });
      const all = where === '' && messages.length === limit ? await this.#countOf(connector, side) : undefined;
      if (folder === this.#folder)
        this.#set(connector, side, { messages, where, limit, all, at: Date.now(), isLooking: false });
    } catch (error) {
      if (folder !== this.#folder) return;
      this.#set(connector, side, before);
      throw error;
    }
  }

  /** Shows more messages than before, from the first on. */
  async more(connector: string, side: Side): Promise<void> {
    const { limit = 0 } = this.lookOf(connector, side) ?? {};
    await this.look(connector, side, undefined, Math.min(mostPeeked, limit < 100 ? limit + peeked : limit + 100));
  }

  /** What the broker says; a failure to say it hides nothing that was found. */
  async #countOf(connector: string, side: Side): Promise<number | undefined> {
    try {
      const { places } = await this.#bridge.call('service.figures', { connector });
      const counts = places.filter((place) => place.side === side).map(({ ready }) => ready);
      return counts.includes(undefined) ? undefined : counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
    } catch {
      return undefined;
    }
  }

  /** Closes what a look has found. */
  close(connector: string, side: Side): void {
    this.#set(connector, side, undefined);
  }

  /** Sends dead letters, all that are shown or these, once the person has agreed to that. */
  async sendBack(connector: string, source: string, sending: Sending = {}): Promise<void> {
    const { passing = false, to, letters = this.lookOf(connector, 'dead')?.messages ?? [] } = sending;
    const chosen = passing ? letters.filter(wouldPass) : letters;
    if (chosen.length === 0) return;
    const where = to ?? source;
    const button = to === undefined ? sendBackTitle(chosen.length, source, passing) : moveTitle(chosen.length, to);
    const detail =
      to === undefined
        ? 'Flows handle them again, the earliest first. They leave the dead letters once the broker has them.'
        : `They leave the dead letters once ${to} has them, the earliest first.`;
    await this.#agreed(connector, button, detail, async () => {
      const { sent } = await this.#bridge.call('service.sendBack', {
        ...{ connector, only: digestsOf(chosen), limit: chosen.length },
        ...(passing && { passing }),
        ...(to !== undefined && { to }),
      });
      return to === undefined ? `Sent ${counted(sent)} back to ${where}.` : `Moved ${counted(sent)} to ${where}.`;
    });
  }

  /** Sends a dead letter with another content, once the person has agreed to that. Whether it was sent. */
  async repair(connector: string, source: string, { digest }: KeptMessage, content: string): Promise<boolean> {
    const button = repairTitle(source);
    const detail = 'The flow handles what you wrote. The dead letter is removed once the broker has it.';
    return this.#agreed(connector, button, detail, async () => {
      const { sent } = await this.#bridge.call('service.sendBack', { connector, only: digest, content, limit: 1 });
      return sent === 1 ? `Sent the edited message to ${source}.` : 'The dead letter is gone: nothing was sent.';
    });
  }

  /** Removes dead letters, all that are shown or these, for good, once the person has agreed to that. */
  async discard(connector: string, letters = this.lookOf(connector, 'dead')?.messages ?? []): Promise<void> {
    if (letters.length === 0) return;
    const detail = 'They are removed from the broker for good, the earliest first. No flow handles them.';
    await this.#agreed(connector, discardTitle(letters), detail, async () => {
      const only = digestsOf(letters);
      const { removed } = await this.#bridge.call('service.discard', { connector, only, limit: letters.length });
      return `Removed ${counted(removed)}.`;
    });
  }

  /** Does what a button says, and looks again. Whether the person agreed. */
  async #agreed(connector: string, button: string, detail: string, work: () => Promise<string>): Promise<boolean> {
    if ((await this.#notices.ask(`${button}?`, [button, 'Keep'], detail)) !== button) return false;
    try {
      this.#notices.show('info', await work());
      return true;
    } finally {
      await this.look(connector, 'dead');
    }
  }

  /** A message to begin with: one of the type of the flows, or an empty one with why there is no other. */
  async sample(connector: string, target: string): Promise<Draft> {
    try {
      const { message, target: where } = await this.#bridge.call('service.sample', { connector, ...sentTo(target) });
      return { text: JSON.stringify(message, undefined, 2), target: where ?? '', reason: undefined };
    } catch (error) {
      return { text: '{}', target, reason: error instanceof Error ? error.message : String(error) };
    }
  }

  async publish(connector: string, { text, target }: Omit<Draft, 'reason'>): Promise<void> {
    const { target: where } = await this.#bridge.call('service.publish', {
      ...{ connector, message: text },
      ...sentTo(target),
    });
    this.#notices.show('info', where === null ? 'Sent 1 message.' : `Sent 1 message to ${where}.`);
  }

  /** Another folder is open. */
  forget(): void {
    this.#folder++;
    this.looks.set(new Map());
  }

  #set(connector: string, side: Side, look: Look | undefined): void {
    this.looks.update((all) => {
      const now = new Map(all);
      if (look === undefined) now.delete(keyOf(connector, side));
      else now.set(keyOf(connector, side), look);
      return now;
    });
  }
}

export function keyOf(connector: string, side: Side): string {
  return `${side} ${connector}`;
}

export function counted(count: number): string {
  return count === 1 ? '1 message' : `${count} messages`;
}

export function sendBackTitle(count: number, source: string, passing = false): string {
  const which = passing ? `${counted(count)} that would pass` : counted(count);
  return `Send ${which} back to ${source}`;
}

export function moveTitle(count: number, to: string): string {
  return `Move ${counted(count)} to ${to}`;
}

export function repairTitle(source: string): string {
  return `Send the edited message to ${source}`;
}

function sentTo(target: string): { readonly target?: string } {
  return target.trim() === '' ? {} : { target: target.trim() };
}

export function discardTitle(messages: readonly KeptMessage[]): string {
  const places = [...new Set(messages.map(({ source }) => source))].join(', ');
  return `Remove ${counted(messages.length)} from ${places}`;
}

/** How many of some dead letters would pass now. */
export function passingOf(messages: readonly (KeptMessage | DeadLetter)[]): number {
  return messages.filter(wouldPass).length;
}

function wouldPass(message: KeptMessage | DeadLetter): boolean {
  return 'now' in message && message.now.end === 'passes';
}

/** What was shown is what is done: others may take messages meanwhile, and further ones may come. */
function digestsOf(messages: readonly KeptMessage[]): string {
  return [...new Set(messages.map(({ digest }) => digest))].join(',');
}

/** What the flow would do with a dead letter now, and why. */
export function nowOf({ now: { end, reason } }: DeadLetter): string {
  const words = { passes: 'would pass', dropped: 'would be turned away', fails: 'would fail', unknown: 'not known' };
  return reason === undefined ? words[end] : `${words[end]}: ${reason}`;
}

function chosenBy(where: string): { readonly where?: string } {
  return where === '' ? {} : { where };
}

/** Why messages of a source cannot be looked at; undefined when they can. Where no service tells, its broker is asked. */
export function peekRefusal(source: QueueSource | undefined): string | undefined {
  if (source === undefined || source.manualConsume) return undefined;
  return `The server of ${source.connector} keeps no messages to look at`;
}
