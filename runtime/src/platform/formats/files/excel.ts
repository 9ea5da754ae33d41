import { setImmediate } from 'node:timers/promises';
import { Failure } from '../../../foundation/errors/failure.ts';
import { answerBudget } from '../budget.ts';
import { DecoderPool } from '../decoder-pool.ts';
import { excelPieces } from '../excel/encode.ts';
import { mapsOf } from '../excel/rows.ts';
import type { SheetRow } from '../excel/sheet.ts';
import { itemsOf, rowOf } from '../records.ts';
import type { FileFormat } from './file-format.ts';
import { wholeOf } from './whole.ts';

/** Workbooks of files have a worker of their own: they take seconds, and bodies of requests do not wait for them. */
const workbooks = new DecoderPool({
  workers: 1,
  waiting: 100,
  waitingBytes: 256 * 1024 * 1024,
  deadline: 60_000,
  megabytes: 1_024,
});

/** Rows after which the event loop gets a turn. */
const together = 500;

/** One sheet of a workbook (.xlsx): its first row that has a text is the header. All values are texts. */
export const excel: FileFormat = {
  name: 'excel',
  contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  continues: false,
  async *rows(source, { budget, signal, ...style }) {
    const bytes = await wholeOf(source);
    const job = {
      format: 'excel',
      bytes,
      charset: undefined,
      budget: answerBudget,
      sheet: { name: style.sheet },
    } as const;
    const rows = (await workbooks.decode(job, signal)) as readonly SheetRow[];
    let count = 0;
    for (const row of mapsOf(rows, { ...style, isFilled: true }, budget)) {
      yield row;
      if (++count % together === 0) await setImmediate();
    }
  },
  pieces(value, { sheet, columns, noHeader, name }) {
    if (name !== undefined && /\.xls$/i.test(name))
      throw new Failure('value_refused', `"${name}" would have the format of Excel before 2007: write .xlsx`);
    return excelPieces(itemsOf(value).map(rowOf), { sheet, columns, noHeader });
  },
};
