import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith } from '../../../../../test/support/folder.ts';
import { answering, assemble, echoing, moduleText } from '../../../../../test/support/wasm.ts';
import { Metrics } from '../../../foundation/observe/metrics.ts';
import { planServices } from '../../plan/testing/plan-services.ts';
import type { ModuleUse } from '../model.ts';
import { ModuleHost } from './module-host.ts';

const limits = { timeout: 1_000, max_memory_mb: 4, max_bytes: 1_000, instances: 1 };
const use: ModuleUse = {
  title: 'functions "m"',
  name: 'm',
  path: 'm.wasm',
  folder: undefined,
  abi: 'length-prefixed',
  limits,
  plugin: undefined,
  origin: { file: 'a.hcl', range: { start: 0, end: 0 } },
  entries: [{ name: 'go', kind: 'json' }],
};

async function hostOf(source: string, own = use) {
  const bytes = await assemble(source);
  const directory = folderWith();
  writeFileSync(join(directory, 'm.wasm'), bytes);
  const context = { directory, log: planServices().log, families: new Metrics().families };
  return { host: new ModuleHost(own, limits, context), hash: createHash('sha256').update(bytes).digest('hex') };
}

test('a module is started by its first call, and shows what it is and what it did', async () => {
  const { host, hash } = await hostOf(moduleText(`${echoing('go')} ${answering('bad', '{"error":"no"}', 1100)}`));
  const used = { kind: 'functions', serves: ['go', 'bad'] } as const;
  const about = { name: 'm', plugin: undefined, path: 'm.wasm', limits, ...used };
  expect(host.running(used)).toEqual({ ...about, hash: undefined, counts: undefined });
  expect(await Promise.all([host.call('go', 'json', '1'), host.call('go', 'json', '2')])).toEqual([1, 2]);
  await expect(host.call('bad', 'json', '3')).rejects.toThrow('functions "m": bad: no');
  const counts = { calls: 3, failed: 1, ended: 0, rebuilt: 0, threads: 1, waiting: 0 };
  expect(host.running(used)).toEqual({ ...about, hash, counts });
  await host.close();
  expect(await host.call('go', 'json', '4')).toBe(4);
  await host.close();
});

test('S-83: one that cannot be used says why each time, and costs no thread', async () => {
  const { host } = await hostOf(moduleText(echoing('other')));
  for (let round = 0; round < 2; round++)
    await expect(host.call('go', 'json', '1')).rejects.toMatchObject({
      code: 'connector_refused',
      message: 'functions "m" cannot be used: it does not export the function "go"; it exports alloc, free, other',
    });
  expect(host.running({ kind: 'functions', serves: [] }).counts).toBeUndefined();
});

test('S-83: an instance that cannot be made again fails calls at once, without a thread for each', async () => {
  const { host } = await hostOf(
    moduleText(
      '(func (export "_initialize") (unreachable)) (func (export "go") (param i32 i32) (result i32) (i32.const 0))',
    ),
  );
  const says = { message: 'functions "m" cannot be started: unreachable', retriable: false };
  await expect(host.open()).rejects.toMatchObject(says);
  await expect(host.open()).rejects.toMatchObject(says);
});
