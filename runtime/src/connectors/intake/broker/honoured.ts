import { Fields } from '@svc/protocol/cel';

/**
 * What a broker acts on when a message is published, as data of its driver. In a copy of a message it would be a command
 * that no one gives: to drop the copy, to let it expire, or to send it elsewhere too.
 */
export interface Honoured {
  /** Names of headers; absent: the broker looks at none. */
  readonly headers?: RegExp;
  /** What a message says beside its headers, by the names that flows know it by. */
  readonly properties?: readonly string[];
}

/** What a message says beside its content. */
export interface Said {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** Before the name of what the broker would honour, in the headers of a copy. */
const prefix = 'x-svc-original-';

const nothing = {};

/** Moves what the broker honours to headers that it does not know. */
export function setAside(headers: Said['headers'], honoured: Honoured, properties: Said['properties'] = nothing): Said {
  const aside = new Fields() as Record<string, unknown>;
  const kept = new Fields() as Record<string, unknown>;
  for (const [name, value] of Object.entries(headers))
    if (honoured.headers?.test(name)) aside[prefix + name] = value;
    else kept[name] = value;
  const left: Record<string, unknown> = { ...properties };
  for (const name of honoured.properties ?? []) {
    const value = left[name];
    delete left[name];
    if (value !== undefined && value !== null) aside[prefix + name] = value;
  }
  return { headers: Object.assign(kept, aside), properties: left };
}

/** What the message said before `setAside`, which comes before what the copy has of that name. */
export function restored(headers: Said['headers'], honoured: Honoured, properties: Said['properties'] = nothing): Said {
  const names = Object.keys(headers).filter((name) => name.startsWith(prefix));
  if (names.length === 0) return { headers, properties };
  const before = Object.assign(new Fields(), headers) as Record<string, unknown>;
  const beside: Record<string, unknown> = { ...properties };
  for (const name of names) {
    const own = name.slice(prefix.length);
    const isHeader = honoured.headers?.test(own) === true;
    if (!isHeader && honoured.properties?.includes(own) !== true) continue;
    (isHeader ? before : beside)[own] = before[name];
    delete before[name];
  }
  return { headers: before, properties: beside };
}
