/** Bounds of a workbook that is read, whatever its size is when it is compressed. */
export const limits = {
  /** Rows of a sheet that have a text. */
  rows: 100_000,
  /** Bytes of all entries of the package, as they say and as they are. */
  inflated: 64 * 1024 * 1024,
  /** Characters of all cells together: many may share one text. */
  characters: 64 * 1024 * 1024,
  entries: 10_000,
  /** Elements of a document in each other. */
  depth: 100,
  /** Attributes of an element. */
  attributes: 1_000,
} as const;

/** The size of a sheet in every version of Excel since 2007. */
export const sheetSize = { rows: 1_048_576, columns: 16_384 } as const;
