import { createHash } from 'node:crypto';
import { GraphQLError } from 'graphql';
import type { Documents } from '../execution/documents.ts';
import type { Prepared } from '../execution/prepared.ts';
import type { GraphqlRequest, PersistedName } from './request.ts';

/** Texts that callers sent with their hash are kept by it, the latest of them. */
const mostLearned = 1000;
/** Characters of all of them. */
const mostCharacters = 4 * 1024 * 1024;

/** Documents that callers sent once, by the SHA-256 of their text. */
export class LearnedDocuments {
  readonly #texts = new Map<string, string>();
  #characters = 0;

  get(hash: string): string | undefined {
    const text = this.#texts.get(hash);
    if (text === undefined) return undefined;
    // The ones that are asked for stay.
    this.#texts.delete(hash);
    this.#texts.set(hash, text);
    return text;
  }

  set(hash: string, text: string): void {
    if (this.#texts.has(hash) || text.length > mostCharacters / 8) return;
    this.#texts.set(hash, text);
    this.#characters += text.length;
    for (const [oldest, its] of this.#texts) {
      if (this.#texts.size <= mostLearned && this.#characters <= mostCharacters) break;
      this.#texts.delete(oldest);
      this.#characters -= its.length;
    }
  }
}

/** What a request is to run. */
export interface Named {
  readonly text: string;
  /** Called when the text was found to be a document that can be run. */
  readonly accepted?: (() => void) | undefined;
}

/** Finds the text of a document, or says why that fails. */
export type FindText = (query: string | undefined, name: PersistedName | undefined) => Named | GraphQLError;

/** Where documents are not kept by name: a text is run, whatever name comes with it. */
export const noneKept: FindText = (query, name) => {
  if (query !== undefined) return { text: query };
  if (name !== undefined && 'hash' in name)
    return new GraphQLError('PersistedQueryNotSupported', { extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' } });
  return new GraphQLError('documents are not kept by name here: send the text in "query"');
};

/**
 * Documents by name: those of a file under their names, and those that callers send with the SHA-256 of their text. With
 * `only`, those of the file alone are run.
 */
export function keptDocuments(
  written: ReadonlyMap<string, string>,
  only: boolean,
  learned: LearnedDocuments,
): FindText {
  const texts = new Set(written.values());
  const byName = (name: PersistedName): string | undefined => {
    if ('hash' in name) return written.get(name.hash) ?? written.get(`sha256:${name.hash}`);
    const { id } = name;
    return written.get(id) ?? (id.startsWith('sha256:') ? written.get(id.slice('sha256:'.length)) : undefined);
  };
  return (query, name) => {
    if (query === undefined) {
      if (name === undefined) return notFound();
      const text = byName(name) ?? (!only && 'hash' in name ? learned.get(name.hash) : undefined);
      return text === undefined ? notFound() : { text };
    }
    if (only)
      return texts.has(query)
        ? { text: query }
        : new GraphQLError('only documents that the service knows are run here');
    if (name === undefined || 'id' in name) return { text: query };
    if (hashOf(query) !== name.hash) return new GraphQLError('provided sha does not match query');
    return { text: query, accepted: () => learned.set(name.hash, query) };
  };
}

function notFound(): GraphQLError {
  return new GraphQLError('PersistedQueryNotFound', { extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } });
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The documents of a file: a map of names to texts, in JSON. Throws an Error that says what is wrong with it. */
export function documentsOf(json: string): ReadonlyMap<string, string> {
  const value: unknown = JSON.parse(json);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('it must be an object with the text of each document under its name');
  const entries = Object.entries(value);
  for (const [name, text] of entries)
    if (typeof text !== 'string') throw new Error(`the document "${name}" must be a text`);
  return new Map(entries);
}

/** The errors of a request, whatever it came over, or what runs it. */
export function prepareRequest(
  { query, persisted, operationName }: GraphqlRequest,
  documents: Documents,
  findText: FindText,
): Prepared | readonly GraphQLError[] {
  const named = findText(query, persisted);
  if (!('text' in named)) return [named];
  const prepared = documents.prepare(named.text, operationName);
  if ('execute' in prepared) named.accepted?.();
  return prepared;
}
