import { objectBed, writtenFor } from '../bed.ts';
import { after, opened } from '../opened.ts';
import type { Lack, TestServer } from '../server.ts';
import { conditionsConformance } from './conditions.ts';
import { copiesConformance } from './copies.ts';
import { document, type InUse } from './in-use.ts';
import { keysConformance } from './keys.ts';
import { linksConformance } from './links.ts';

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
