import type { Storage } from './storage.ts';

/** An answer as a cache keeps it. */
export interface KeptAnswer {
  readonly value: unknown;
  readonly status: number | undefined;
}

/** A piece of a key: text as it is, or what an expression gives. */
export type KeyPart =
  | string
  | {
      readonly expression: string;
      /** `value`: escaped, so that it separates nothing; `text`: any text, to the end; `input`: the fields of a message, to the end. */
      readonly holds: 'value' | 'text' | 'input';
    };

/** The answers that a flow keeps in a cache, as people look at them. */
export interface KeptAnswers {
  readonly flow: string;
  /** The aspect that keeps them; undefined: the flow itself does. */
  readonly aspect: string | undefined;
  /** Name of the cache connector. */
  readonly connector: string;
  readonly storage: Storage;
  /** Milliseconds; undefined: the default of the connector. */
  readonly ttl: number | undefined;
  /** As it is written; undefined: flow, input and caller. */
  readonly written: string | undefined;
  /** What every key is made of. */
  readonly key: readonly KeyPart[];
  /** Throws or rejects when the text is not an answer. */
  decode(text: string): KeptAnswer | Promise<KeptAnswer>;
}

/** What of such answers is not shown. */
export interface HiddenAnswers {
  /** When values may be made of what is hidden. */
  readonly values: 'always' | 'outside_development' | undefined;
  /** Fields of the input that hold credentials under names that do not say so. */
  readonly fields: readonly string[];
}

/** The answers that the flows of a plan keep. */
export interface PlanAnswers {
  readonly kept: readonly KeptAnswers[];
  hidden(flow: string): HiddenAnswers;
}
