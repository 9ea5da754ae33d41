import { expect } from 'vitest';
import type { objectBed } from '../bed.ts';
import type { Opened } from '../opened.ts';
import type { Lack, TestServer } from '../server.ts';

/** A place at the server, and an open connector of it. */
export interface InUse extends Opened {
  readonly bed: Awaited<ReturnType<typeof objectBed>>;
  readonly server: TestServer;
  readonly lacks: (lack: Lack) => boolean;
  textOf(key: string): Promise<string>;
  /** Headers that an object has when it is read, of those that tests write. */
  said(key: string): Promise<Readonly<Record<string, unknown>>>;
  /** The value that a call answers. */
  value(operation: string, params: Readonly<Record<string, unknown>>): Promise<unknown>;
}

/** Headers of an object that tests write. */
export const document = {
  'content-type': 'text/csv',
  'cache-control': 'max-age=60',
  'content-disposition': 'attachment',
  'x-amz-meta-of': 'tests',
};

/** The keys of a list. */
export function keysOf(listed: unknown): readonly string[] {
  if (!Array.isArray(listed)) return expect.fail('it is not a list');
  return (listed as readonly { readonly key: string }[]).map(({ key }) => key);
}
