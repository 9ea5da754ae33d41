import type { ArgumentSource } from '@svc/protocol/schema';
import { compileTarget, type TargetOf } from './target.ts';
import type { ConnectorUse, FlowTools, NamedOperation } from './tools.ts';

/** The words by which a step or an action says what it asks. */
export interface AskingWords {
  readonly connector: string;
  readonly operation: string | undefined;
  readonly target: ArgumentSource | undefined;
  readonly query: string | undefined;
}

/** What is asked, in the words of the block or in those of the named operation that it stands for. */
export interface Asked {
  readonly use: ConnectorUse;
  readonly named: NamedOperation | undefined;
  readonly operation: string | undefined;
  readonly query: string | undefined;
  /** The target as written, which may come with each message. */
  readonly target: TargetOf;
  /** The target as the connector is told; undefined when it comes with each message, or when there is none. */
  readonly place: string | undefined;
}

/** Resolves named operations, by the word in `operation` or else in `target` (supplement-connectors 2.7, 3.8). */
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
    // A target that names an operation stands for it and is no table.
    place: named?.target ?? (named === byOperation ? word : undefined),
  };
}
