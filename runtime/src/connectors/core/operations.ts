import type { ConnectorDeclaration, OperationDeclaration } from '@svc/protocol/model';
import type { Values } from '@svc/protocol/schema';
import type { AnyWords } from '../../foundation/contracts/words.ts';
import type { param } from './spec.ts';

/** A declared parameter of a named operation. */
export type ParameterDeclaration = Values<typeof param>;

/**
 * What a named operation means, in the words that a flow would have written itself
 * (docs/specification/connectors.md#named-operations).
 */
export interface ResolvedOperation {
  readonly name: string;
  /** `METHOD /path`, or the word that the connector's own attributes spell; undefined when they name data instead. */
  readonly operation: string | undefined;
  /** Table, index or collection. */
  readonly target: string | undefined;
  readonly query: string | undefined;
  /** Milliseconds for one execution. */
  readonly timeout: number | undefined;
  /** Types that validate what goes in and comes back. */
  readonly input: string | undefined;
  readonly output: string | undefined;
  readonly description: string | undefined;
  readonly params: readonly ParameterDeclaration[];
  /** The block itself, decoded by the spec of its connector. */
  readonly own: AnyWords;
}

/** The attributes that operations of any connector may carry; each connector declares its own few. */
interface Written {
  readonly method?: string;
  readonly path?: string;
  readonly operation_type?: string;
  readonly field?: string;
  readonly document?: string;
  readonly service?: string;
  readonly rpc?: string;
  readonly command?: string;
  readonly query?: string;
  readonly table?: string;
  readonly action?: string;
  readonly index?: string;
  readonly collection?: string;
  readonly timeout?: number;
  readonly input?: string;
  readonly output?: string;
  readonly description?: string;
  readonly param?: readonly ParameterDeclaration[];
}

/**
 * The operation that `word` names on this connector; undefined when it names none, so that the word is used as it is.
 * A query wins over a table, as it does in a flow. Of a connector with profiles it is that of the default profile, or of
 * the first one that declares it: flows are compiled by it, and each profile asks by its own.
 */
export function resolveOperation(
  connector: ConnectorDeclaration,
  word: string | undefined,
): ResolvedOperation | undefined {
  if (word === undefined) return undefined;
  const declared = declaredOperation(connector, word);
  if (declared === undefined) return undefined;
  const written: Written = declared.values as object;
  const { query } = written;
  return {
    name: declared.name,
    operation: operationOf(written),
    target: written.collection ?? (query === undefined ? (written.table ?? written.index) : undefined),
    query,
    timeout: written.timeout,
    input: written.input,
    output: written.output,
    description: written.description,
    params: written.param ?? [],
    own: declared.values as unknown as AnyWords,
  };
}

function operationOf(written: Written) {
  const { method = 'GET', path, operation_type = 'Query', field, document, service, rpc, command, action } = written;
  if (rpc !== undefined) return `${service}/${rpc}`;
  if (document !== undefined) return document;
  if (path !== undefined) return `${method} ${path}`;
  return field === undefined ? (command ?? action) : `${operation_type}.${field}`;
}

function declaredOperation(connector: ConnectorDeclaration, word: string): OperationDeclaration | undefined {
  const { operations, profiles, values } = connector;
  if (profiles.size === 0) return operations.get(word);
  const standard = profiles.get(String((values as { readonly default?: unknown }).default));
  const ordered = standard === undefined ? [...profiles.values()] : [standard, ...profiles.values()];
  return ordered.map((profile) => profile.operations.get(word)).find((found) => found !== undefined);
}
