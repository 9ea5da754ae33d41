import type { Bridge, KeptMessage } from '../../shared/services.ts';
import type { Notices } from '../shell/notices.ts';
import { Store } from '../state/store.ts';
import type { QueueSource } from './sources.ts';

/** Messages that are looked at together. */
export const peeked = 20;

/** Messages that wait for flows, or those that were given up. */
export type Side = 'waiting' | 'dead';

/** What a look at one side has found. */
export interface Look {
  /** Undefined while the first look is under way. */
  readonly messages: readonly KeptMessage[] | undefined;
  /** By `Date.now()`. */
  readonly at: number;
  readonly isLooking: boolean;
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

  /** Looks at the next messages; a failure leaves what was found before. One look at a time for each side. */
  async look(connector: string, side: Side): Promise<void> {
    const before = this.lookOf(connector, side);
    if (before?.isLooking) return;
    const folder = this.#folder;
    this.#set(connector, side, { messages: before?.messages, at: before?.at ?? Date.now(), isLooking: true });
    try {
      const dead = side === 'dead';
      const { messages } = await this.#bridge.call('service.peek', { connector, dead, limit: peeked });
      if (folder === this.#folder) this.#set(connector, side, { messages, at: Date.now(), isLooking: false });
    } catch (error) {
      if (folder !== this.#folder) return;
      this.#set(connector, side, before);
      throw error;
    }
  }

  /** Closes what a look has found. */
  close(connector: string, side: Side): void {
    this.#set(connector, side, undefined);
  }

  /** Sends the dead letters that are shown back to where they came from, once the person has agreed to that. */
  async sendBack(connector: string, source: string): Promise<void> {
    const count = this.lookOf(connector, 'dead')?.messages?.length ?? 0;
    if (count === 0) return;
    const button = sendBackTitle(count, source);
    const detail = 'Flows handle them again, the earliest first. They leave the dead letters once the broker has them.';
    if ((await this.#notices.ask(`${button}?`, [button, 'Keep'], detail)) !== button) return;
    try {
      const { sent } = await this.#bridge.call('service.sendBack', { connector, limit: count });
      this.#notices.show('info', `Sent ${counted(sent)} back to ${source}.`);
    } finally {
      await this.look(connector, 'dead');
    }
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

export function sendBackTitle(count: number, source: string): string {
  return `Send ${counted(count)} back to ${source}`;
}

/** Why messages of a source cannot be looked at; undefined when they can. Where no service tells, its broker is asked. */
export function peekRefusal(source: QueueSource | undefined): string | undefined {
  if (source === undefined || source.manualConsume) return undefined;
  return `The server of ${source.connector} keeps no messages to look at`;
}

/** Why a message was given up, as its headers say it. */
export function causeOf({ headers }: KeptMessage): string {
  const cause = headers['x-last-error'];
  return typeof cause === 'string' && cause !== '' ? cause : 'not said';
}

/** What a message holds, as a tree shows it. */
export function contentOf({ key, headers, body, text, base64 }: KeptMessage): Readonly<Record<string, unknown>> {
  const content = text !== undefined ? { text } : base64 !== undefined ? { base64 } : { body };
  return { ...content, headers, ...(key !== '' && { key }) };
}
