/** How a program ended: with a status, or by a signal. */
export interface Exit {
  readonly status: number | undefined;
  readonly signal: string | undefined;
}
