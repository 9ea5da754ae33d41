import { afterEach, describe, expect, test } from 'vitest';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { ask, contentOf, failureOf } from '../testing/asking.ts';
import { ftpBed, ftpUrl, type RemoteBed, sftpBed, sshUrl } from './testing/bed.ts';
import { isUnfinished } from './unfinished.ts';

const never = new AbortController().signal;
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** Leaves what a writer leaves that was killed: its connection ends, and it comes back with no other one. */
async function leave(bed: RemoteBed, path: string): Promise<void> {
  const writer = bed.connector({}, connectorServices());
  await writer.open(never);
  const content = contentOf(async function* () {
    yield Buffer.alloc(200_000, 'x');
    bed.proxy.fault = 'refuse';
    bed.proxy.reset();
    yield Buffer.alloc(200_000, 'x');
  });
  await failureOf(ask(writer, 'write', { path, content }));
  await writer.close(AbortSignal.abort());
  bed.proxy.fault = 'pass';
}

describe.each([
  ['ftp', ftpUrl, () => ftpBed()],
  ['sftp', sshUrl, () => sftpBed()],
] as const)('%s', (_, server, makeBed) => {
  test.skipIf(server === undefined)(
    'what a killed writer left is in no list, hinders no other writer, and goes with its folder',
    async () => {
      const bed = await makeBed();
      cleanups.push(() => bed.close());
      await bed.put('in/kept.txt', Buffer.from('kept'));
      await leave(bed, 'in/new.txt');
      expect((await bed.names()).filter(isUnfinished)).toHaveLength(1);
      const connector = bed.connector({}, connectorServices());
      cleanups.push(() => connector.close(AbortSignal.abort()));
      await connector.open(never);
      const listed = async () => {
        const rows = (await ask(connector, 'list', { path: '', recursive: true })) as { readonly path: string }[];
        return rows.map(({ path }) => path);
      };
      expect(await listed()).toEqual(['in', 'in/kept.txt']);
      expect(await ask(connector, 'exists', { path: 'in/new.txt' })).toMatchObject({ exists: false });
      await ask(connector, 'write', { path: 'in/new.txt', content: 'whole' });
      expect([await listed(), String(await bed.bytesOf('in/new.txt'))]).toEqual([
        ['in', 'in/kept.txt', 'in/new.txt'],
        'whole',
      ]);
      await ask(connector, 'delete', { path: 'in' });
      expect(await bed.names()).toEqual([]);
    },
  );
});
