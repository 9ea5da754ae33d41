import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { configured } from '../../../../test/support/configured.ts';
import { connectorServices } from '../../../../test/support/connector-services.ts';
import { type SmallDisk, smallDisk } from '../../../../test/support/small-disk.ts';
import { services, sql, sqliteConnector } from '../../connectors/database/testing/parts.ts';
import { create } from '../../connectors/files/local/connector.ts';
import { file } from '../../connectors/files/local/spec.ts';
import type { TargetConnector } from '../../connectors/testing/target-conformance.ts';
import { Spool } from '../../platform/content/spool.ts';
import { temporaryFiles } from '../../platform/content/temporary.ts';
import { NotificationOutbox } from '../../platform/outbox/notification-outbox.ts';
import { HealthMonitor } from '../../service/running/health/health.ts';
import { memoryLog } from '../../service/running/testing/fakes.ts';
import { ManualClock } from '../../service/running/testing/manual-clock.ts';
import { DiskState } from './disk-state.ts';

const never = new AbortController().signal;
const mounts = smallDisk('64k');
if (mounts === undefined) console.warn('SKIP  full disks: no file system can be mounted here');
mounts?.[Symbol.dispose]();

test('other failures say nothing of the disk; causes of causes do', () => {
  const state = new DiskState('the folder x');
  state.failed(Object.assign(new Error('gone'), { code: 'ENOENT' }));
  state.failed('ENOSPC');
  expect(state.problem).toBeUndefined();
  const cause = Object.assign(new Error('full'), { code: 'EDQUOT' });
  state.failed(new Error('outer', { cause: new Error('inner', { cause }) }));
  expect(state.problem).toBe('the folder x cannot be written: the disk quota is exceeded');
  state.wrote();
  expect(state.problem).toBeUndefined();
});

describe.skipIf(mounts === undefined)(
  'a full disk is shown by the health of what met it, until a write succeeds',
  () => {
    let disk: SmallDisk;
    const closing: (() => Promise<unknown> | void)[] = [];
    beforeEach(() => {
      disk = smallDisk('1m') as SmallDisk;
    });
    afterEach(async () => {
      for (const close of closing.splice(0).reverse()) await close();
      disk[Symbol.dispose]();
    });

    const fill = () => {
      try {
        writeFileSync(join(disk.path, 'filler'), Buffer.alloc(2 * 1024 * 1024));
      } catch (error) {
        expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
      }
    };
    const empty = () => rmSync(join(disk.path, 'filler'));

    test('R-79: files of a folder, also one that can only be read', async () => {
      const config = configured(file.config, { base_path: disk.path });
      const files = create('files', config, connectorServices()) as TargetConnector;
      closing.push(() => files.close());
      await files.open(never);
      const description = { verb: 'call', operation: 'write', target: undefined, query: undefined } as const;
      const call = files.target.prepare({ ...description, timeout: undefined, exact: false, flow: 'f', label: 'to' });
      const write = async () => call({ params: { path: 'a.txt', content: 'x'.repeat(100_000) } });
      await write();
      expect(await files.check?.(never)).toBeUndefined();
      fill();
      await expect(write()).rejects.toThrow(/no space/);
      expect(await files.check?.(never)).toBe(
        `the folder ${disk.path} cannot be written: no space is left on the device`,
      );
      empty();
      await write();
      expect(await files.check?.(never)).toBeUndefined();
      disk.readOnly(true);
      await expect(write()).rejects.toThrow(/read-only/);
      expect(await files.check?.(never)).toMatch(/cannot be written: the file system is read-only$/);
      disk.readOnly(false);
      await write();
      expect(await files.check?.(never)).toBeUndefined();
    });

    test('R-79: a database of SQLite, in a statement and in a transaction', async () => {
      const database = sqliteConnector({ database: join(disk.path, 'a.db') }, services());
      closing.push(() => database.close());
      await database.open(never);
      await sql(database, 'CREATE TABLE t (n TEXT)');
      const write = (size: number) => sql(database, `INSERT INTO t VALUES ('${'x'.repeat(size)}')`);
      await write(10);
      expect(await database.check?.(never)).toBeUndefined();
      fill();
      await expect(write(200_000)).rejects.toThrow(/no room left/);
      expect(await database.check?.(never)).toMatch(/^database ".*" cannot be written: there is no room left$/);
      expect((await sql(database, 'SELECT count(*) AS n FROM t')).rows).toEqual([{ n: 1 }]);
      expect(await database.check?.(never)).toMatch(/no room left/);
      empty();
      await write(1000);
      expect(await database.check?.(never)).toBeUndefined();
      fill();
      const inside = database.target.transactions?.run(async (statements) => {
        await statements.execute('INSERT INTO t VALUES (:text)', { text: 'x'.repeat(200_000) });
      }, never);
      await expect(inside).rejects.toThrow(/no room left/);
      expect(await database.check?.(never)).toMatch(/no room left/);
      empty();
      await write(1000);
      expect(await database.check?.(never)).toBeUndefined();
    });

    test('R-79: temporary files of uploads, which degrade the service', async () => {
      const before = process.env['TMPDIR'];
      closing.push(() => {
        if (before === undefined) delete process.env['TMPDIR'];
        else process.env['TMPDIR'] = before;
      });
      process.env['TMPDIR'] = disk.path;
      const parts = { temporary_files: () => temporaryFiles.problem };
      const health = new HealthMonitor(new ManualClock(), memoryLog().log, parts);
      const keep = async () => {
        const spool = new Spool();
        closing.push(() => spool.close());
        await spool.append(Buffer.alloc(200_000));
      };
      await keep();
      expect(health.components()).toEqual({});
      fill();
      await expect(keep()).rejects.toThrow(/ENOSPC/);
      const message = expect.stringMatching(
        /^temporary files \(.*\) cannot be written: no space is left on the device$/,
      );
      expect(health.components()).toEqual({ temporary_files: { status: 'degraded', latency_ms: 0, message } });
      empty();
      await keep();
      expect(health.components()).toEqual({});
    });

    test('R-79: messages that are captured', async () => {
      const outbox = new NotificationOutbox(join(disk.path, 'sent'), new ManualClock());
      await outbox.open();
      const keep = () =>
        outbox.of('chat').keep({ provider: 'p', medium: 'chat', shown: { to: ['a'], text: 'x'.repeat(9000) } });
      await keep();
      fill();
      await expect(keep()).rejects.toThrow(/could not be kept/);
      expect(outbox.problem).toMatch(/^captured messages \(.*\) cannot be written: no space is left on the device$/);
      empty();
      await keep();
      expect(outbox.problem).toBeUndefined();
    });
  },
);
