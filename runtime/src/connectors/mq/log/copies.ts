import { type Honoured, restored, type Said, setAside } from '../../intake/broker/honoured.ts';
import type { FetchedRecord } from './library.ts';

/**
 * Brokers look at no header. They keep a record for as long as its timestamp says, so that a copy of an old one would be
 * removed before others, and refuse one of another time than they expect.
 */
const honoured: Honoured = { properties: ['timestamp'] };

/** What a record says beside its key and its value, whether it is a copy or not. */
export function saidBy({ headers = {}, timestamp }: FetchedRecord): Said {
  const said = restored(headers, honoured, { timestamp });
  const first = String(said.properties['timestamp']);
  return { headers: said.headers, properties: { timestamp: /^\d{1,16}$/.test(first) ? first : timestamp } };
}

/** The headers of a copy of a record, which has a timestamp of its own. The library writes none without a value. */
export function copiedHeaders({ headers, properties }: Said): Record<string, Buffer | string> {
  const copies = Object.entries(setAside(headers, honoured, properties).headers);
  return Object.fromEntries(
    copies.map(([name, value]) => [name, Array.isArray(value) ? value.map(filled) : filled(value)]),
  ) as Record<string, Buffer | string>;
}

function filled(value: unknown): unknown {
  return value ?? Buffer.alloc(0);
}
