/** Width and height of pages in points, upright. */
export const pageSizes = {
  A4: [595.28, 841.89],
  A3: [841.89, 1190.55],
  A5: [419.53, 595.28],
  Letter: [612, 792],
  Legal: [612, 1008],
} as const satisfies Readonly<Record<string, readonly [number, number]>>;

export type PageSize = keyof typeof pageSizes;
export const pageSizeNames = Object.keys(pageSizes) as readonly PageSize[];
