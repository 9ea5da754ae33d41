/** Something that a dry run did not do. */
export interface Simulated {
  readonly connector: string;
  /** `INSERT`, `POST /orders`, `create`, `transaction`, `cache set`. */
  readonly operation: string;
  /** Flow and title of the block that asked (`step "user"`); absent for caches and locks. */
  readonly place?: { readonly flow: string; readonly label: string };
  /** What would have been sent, and the substitute for the answer. */
  readonly answer: Readonly<Record<string, unknown>>;
}

export type ReportSimulated = (simulated: Simulated) => void;
