import type { ArgumentSource } from '@svc/protocol/schema';
import type { ConnectorUse, FlowTools, NamedOperation } from '../tools.ts';
import { compileTarget, type TargetOf } from './target.ts';

/** The attributes by which a step or an action describes its request. */
export interface AskingWords {
  readonly connector: string;
  readonly operation: string | undefined;
  readonly target: ArgumentSource | undefined;
  readonly query: string | undefined;
}

/** The request, from the attributes of the block or of the named operation that it refers to. */
export interface Asked {
  readonly use: ConnectorUse;
  readonly named: NamedOperation | undefined;
  readonly operation: string | undefined;
  readonly query: string | undefined;
  /** The target as written, which may come with each message. */
  readonly target: TargetOf;
  /**
   * The target as the connector receives it; undefined when it comes with each message, or when the block has no
   * target.
   */
  readonly place: string | undefined;
}

/** Resolves named operations, by the word in `operation` or else in `target`. */
export function resolveAsked(words: AskingWords, title: string, tools: FlowTools): Asked {
  const use = tools.connector(words.connector);
  const target = compileTarget(words.target, title, tools);
  const word = typeof target === 'string' ? target : undefined;
  const byOperation = use.operation(words.operation);
  const named = byOperation ?? use.operation(word);
  return {
    use,
    named,
    operation: named ? named.operation : words.operation,
    query: words.query ?? named?.query,
    target,
    // A target that names an operation refers to it and is not a table.
    place: named?.target ?? (named === byOperation ? word : undefined),
  };
}
