import { expect } from 'vitest';
import { objectBed, writtenFor } from '../bed.ts';
import { after, type Opened, opened } from '../opened.ts';
import type { Lack, TestServer } from '../server.ts';
import { conditionsConformance } from './conditions.ts';
import { copiesConformance } from './copies.ts';
import { keysConformance } from './keys.ts';
import { linksConformance } from './links.ts';

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

/** What every object store promises beside what stores of files do; what a server does not have is named in `lacks`. */
export function objectConformance(server: TestServer): void {
  const lacks = (lack: Lack) => server.lacks.includes(lack);
  const use = async (): Promise<InUse> => {
    const bed = await objectBed(server);
    after(() => bed.close());
    const open = await opened(writtenFor(bed.bucket, bed.prefix));
    return {
      ...open,
      bed,
      server,
      lacks,
      textOf: async (key) => (await bed.bytesOf(key)).toString(),
      said: async (key) => {
        const headers = await bed.bucket.headersOf(`${bed.prefix}${key}`);
        return Object.fromEntries(
          Object.entries(headers).filter(([name]) => Object.hasOwn(document, name) || name.startsWith('x-amz-meta-')),
        );
      },
      value: async (operation, params) => (await open.call(operation, params)).value,
    };
  };
  keysConformance(use, server);
  copiesConformance(use, lacks);
  conditionsConformance(use, lacks);
  linksConformance(use, lacks);
}

/** The keys of a list. */
export function keysOf(listed: unknown): readonly string[] {
  if (!Array.isArray(listed)) return expect.fail('it is not a list');
  return (listed as readonly { readonly key: string }[]).map(({ key }) => key);
}
