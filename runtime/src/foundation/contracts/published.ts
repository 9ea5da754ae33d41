import type { ConnectorValues, Origin } from '@svc/protocol/schema';
import type { Severity } from '@svc/protocol/text';
import type { DeclaredType, ReturnShape } from './types.ts';

/** Names of files that say what is published. A change of one is a change of the configuration. */
export const schemaFile = /\.(graphqls?|gql|proto|wsdl|xsd)$/;

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
  /** What flows and aspects ask it for, in every place, where its spec says that it checks that. */
  readonly asked: readonly PublishedCall[];
}

/** One place where a flow, or the action of an aspect, asks the connector for something. */
export interface PublishedCall {
  /** Of a named operation what that says; else the operation, or the target in its place. */
  readonly operation: string;
  readonly origin: Origin;
  /** Names that `params` gives, as far as they are written. */
  readonly params: readonly { readonly name: string; readonly origin: Origin }[];
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
  | { readonly of: 'call'; readonly origin: Origin }
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

/**
 * The same with the files that its block names. `read` throws an Error that says why a file cannot be read; `list` gives the
 * `.proto` files of a folder and of those below it, or throws one that says why the folder cannot be read.
 */
export type FileCheck = (
  published: Published,
  read: (path: string) => string,
  list: (folder: string) => readonly string[],
) => readonly PublishedProblem[];
