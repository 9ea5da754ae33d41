import { type BodyForm, messageBudget } from '../budget.ts';
import { mapsOf } from './rows.ts';
import { sheetRowsOf } from './workbook.ts';

/** Bytes that the XML of one cell may have: a workbook of few values has no use for a large one. */
const bytesOfCell = 160;

/**
 * Decodes the first sheet of a workbook (.xlsx), whose first row is the header: `rows` is a list of maps of text, and a single
 * row gives its columns beside it. Rejects as `sheetRowsOf` does, and with `body_too_large` beyond the budget.
 */
export async function decodeExcel(
  bytes: Uint8Array,
  { budget = messageBudget }: BodyForm = {},
): Promise<Record<string, unknown>> {
  const sheet = await sheetRowsOf(bytes, undefined, budget.values * bytesOfCell);
  const rows = [...mapsOf(sheet, {}, budget)];
  const decoded = Object.create(null) as Record<string, unknown>;
  if (rows.length === 1) Object.assign(decoded, rows[0]);
  decoded['rows'] = rows;
  return decoded;
}
