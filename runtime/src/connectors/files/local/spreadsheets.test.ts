import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { folderWith } from '../../../../../test/support/folder.ts';
import type { CallDescription } from '../../../foundation/contracts/target.ts';
import { bookOf, textRow } from '../../../platform/formats/excel/testing/package.ts';
import type { TargetConnector } from '../../testing/target-conformance.ts';
import { create } from './connector.ts';
import { file } from './spec.ts';

const described: CallDescription = {
  verb: 'call',
  operation: undefined,
  target: undefined,
  query: undefined,
  timeout: undefined,
  exact: false,
  flow: 'f',
  label: 'step "s"',
};

let folder: string;
let connector: TargetConnector;
beforeEach(async () => {
  folder = folderWith();
  const config = configured(file.config, { base_path: folder });
  connector = create('files', config, connectorServices({ directory: folder })) as TargetConnector;
  await connector.open(new AbortController().signal);
});
afterEach(async () => {
  await connector.close();
  rmSync(folder, { recursive: true });
});

const ask = async (operation: string, params: Readonly<Record<string, unknown>>, signal?: AbortSignal) =>
  (await connector.target.prepare({ ...described, operation })({ params, ...(signal && { signal }) })).value;

describe('workbooks', () => {
  test('are written and read by the ending of the name, or by format', async () => {
    const rows = [{ a: '=1+1', b: 2 }, { a: 'é' }];
    const read = [
      { a: '=1+1', b: '2' },
      { a: 'é', b: '' },
    ];
    await ask('write', { path: 'reports/a.xlsx', content: rows, sheet: 'May' });
    expect(await ask('read', { path: 'reports/a.xlsx' })).toEqual(read);
    expect(await ask('read', { path: 'reports/a.xlsx', sheet: 'may' })).toEqual(read);
    await ask('write', { path: 'b.bin', content: rows, format: 'xlsx', columns: ['b', 'a'] });
    expect(await ask('read', { path: 'b.bin', format: 'excel' })).toEqual([
      { b: '2', a: '=1+1' },
      { b: '', a: 'é' },
    ]);
  });

  test('that cannot be read or written are an error, and nothing is half written', async () => {
    await ask('write', { path: 'a.xlsx', content: [{ a: 1 }] });
    const before = readFileSync(join(folder, 'a.xlsx'));
    const long = [{ a: 'x' }, { a: 'x'.repeat(40_000) }];
    await expect(ask('write', { path: 'a.xlsx', content: long })).rejects.toMatchObject({ code: 'output_invalid' });
    await expect(ask('write', { path: 'a.xls', content: [{ a: 1 }] })).rejects.toMatchObject({ code: 'value_refused' });
    await expect(ask('append', { path: 'a.xlsx', content: [{ a: 2 }] })).rejects.toMatchObject({
      code: 'value_refused',
    });
    expect(readFileSync(join(folder, 'a.xlsx')).equals(before)).toBe(true);
    await expect(ask('read', { path: 'a.xlsx', sheet: 'Other' })).rejects.toMatchObject({
      code: 'body_undecodable',
      message: 'the spreadsheet cannot be read: it has no sheet "Other": it has "Sheet1"',
    });
    writeFileSync(join(folder, 'c.xlsx'), randomBytes(1_000));
    await expect(ask('read', { path: 'c.xlsx' })).rejects.toMatchObject({ code: 'body_undecodable' });
  });

  test('A-03: a call that is cancelled while its workbook is read ends at once, and others are read', async () => {
    writeFileSync(join(folder, 'a.xlsx'), bookOf({ sheets: { S: textRow('a') + textRow('1').repeat(90_000) } }));
    writeFileSync(join(folder, 'b.xlsx'), bookOf({ sheets: { S: textRow('a') + textRow('1') } }));
    const stop = new AbortController();
    const reading = Array.from({ length: 5 }, () => ask('read', { path: 'a.xlsx' }, stop.signal));
    setImmediate(() => stop.abort());
    const ends = await Promise.allSettled(reading);
    expect(ends.map((end) => end.status === 'rejected' && end.reason.code)).toEqual(Array(5).fill('cancelled'));
    expect(await ask('read', { path: 'b.xlsx' })).toEqual([{ a: '1' }]);
  });
});
