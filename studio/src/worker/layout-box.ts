export interface LayoutBox {
  readonly id: string;
  readonly width: number;
  readonly height: number;
  /** From the left: what messages come from, flows, what they go to. */
  readonly column: 0 | 1 | 2;
}
