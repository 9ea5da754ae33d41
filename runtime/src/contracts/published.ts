import type { ConnectorValues } from '@svc/protocol/schema';
import type { Severity } from '@svc/protocol/text';
import type { DeclaredType, ReturnShape } from './types.ts';

/** Names of files that say what is published. A change of one is a change of the configuration. */
export const schemaFile = /\.(graphqls?|gql)$/;

/** What a configuration says of a connector that publishes types to its callers, before anything runs. */
export interface Published {
  readonly connector: string;
  /** The decoded block of the connector. */
  readonly config: ConnectorValues;
  readonly types: readonly DeclaredType[];
  /** The flows that begin at the connector. */
  readonly flows: readonly PublishedFlow[];
  /** What flows send to it, as text: operation and target. */
  readonly sent: readonly PublishedSend[];
}

/** What a flow sends to the connector. */
export interface PublishedSend {
  readonly flow: string;
  readonly operation: string | undefined;
  readonly target: string | undefined;
}

export interface PublishedFlow {
  readonly name: string;
  /** After named operations were resolved; undefined when none was written. */
  readonly operation: string | undefined;
  /** Undefined when nothing was written, or something malformed. */
  readonly returns: ReturnShape | undefined;
  readonly entity: string | undefined;
  /** The connector's own words in `from`. */
  readonly words: Readonly<Record<string, unknown>>;
}

/** Where something is written. */
export type PublishedPlace =
  | { readonly of: 'connector'; readonly path?: readonly string[] }
  | { readonly of: 'type'; readonly name: string; readonly field?: string; readonly word?: string }
  | { readonly of: 'flow'; readonly name: string; readonly word: 'operation' | 'entity' | 'returns' | 'to' }
  /** A file that the block names, with offsets in its text. */
  | { readonly of: 'file'; readonly path: string; readonly start: number; readonly end: number };

/** Something wrong with what is published. */
export interface PublishedProblem {
  readonly code: string;
  readonly message: string;
  readonly at: PublishedPlace;
  readonly severity?: Severity;
  readonly help?: string | undefined;
}

/** Checks what a connector would publish. Pure. */
export type PublishCheck = (published: Published) => readonly PublishedProblem[];

/** The same with the files that its block names. `read` throws an Error that says why a file cannot be read. */
export type FileCheck = (published: Published, read: (path: string) => string) => readonly PublishedProblem[];
