/** The offsets behind what is done, by topic and partition. */
export type Offsets = readonly {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  /** What is kept beside it. */
  readonly metadata?: string | null | undefined;
}[];
