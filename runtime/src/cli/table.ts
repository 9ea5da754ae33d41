/** Rows with columns of equal width. What others sent is shown without characters that a terminal would carry out. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const plain = rows.map((row) => row.map((cell) => cell.replace(/[\p{Cc}\p{Cf}]/gu, '?')));
  const widths = (plain[0] ?? []).map((_, column) => Math.max(...plain.map((row) => row[column]?.length ?? 0)));
  const padded = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
  return plain.map((row) => padded(row).join('  ').trimEnd());
}
