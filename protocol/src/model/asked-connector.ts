import {
  addedWords,
  type BlockSpec,
  type ConnectorSpec,
  type DependentWords,
  type EvaluatedWord,
  isShared,
  takesWord,
  type WrittenWords,
} from '../schema/index.ts';
import { type BodyToDecode, nameOf } from './body.ts';
import type { DecodeContext } from './decode-context.ts';
import { isAttribute, place, type SourcedItem } from './items.ts';
import { valueContext } from './value-context.ts';
import { decodeValue } from './values.ts';

/** The connector that a body names, which adds words to it. */
export interface AskedConnector {
  readonly dependent: DependentWords;
  readonly name: string;
  /** What it acts by: one spec, or one for each profile. */
  readonly specs: readonly ConnectorSpec[];
  /**
   * No connector has the name, which is reported elsewhere: `specs` are all connectors, so that its words are accepted.
   */
  readonly isUnknown: boolean;
}

/** The connector that a body names; undefined when its words depend on none. */
export function askedConnector(
  items: readonly SourcedItem[],
  { dependent, attributes }: BlockSpec,
  context: DecodeContext,
): AskedConnector | undefined {
  if (dependent === undefined) return undefined;
  const { by } = dependent;
  const written = items.filter(isAttribute).find(({ item }) => item.name.text === by);
  const spec = attributes[by];
  const quiet = { ...context, report: () => undefined };
  const name =
    written?.item.value && spec ? decodeValue(written.item.value, spec, valueContext(by, written, quiet)) : undefined;
  const specs = typeof name === 'string' ? context.connector(name) : undefined;
  const isUnknown = specs === undefined || specs.length === 0;
  return { dependent, name: String(name ?? ''), specs: isUnknown ? context.connectors : specs, isUnknown };
}

/** Refuses a word that other connectors take and this one does not; false when it is not a word of theirs. */
export function refuseWord(
  sourced: SourcedItem,
  word: string,
  body: BodyToDecode,
  { dependent, name, specs, isUnknown }: AskedConnector,
  { connectors, report }: DecodeContext,
): boolean {
  if (isUnknown || !connectors.some((spec) => takesWord(spec, dependent.at, word))) return false;
  const kinds = [...new Set(specs.map(({ type, driver }) => [type, driver].filter(Boolean).join(' ')))].join(', ');
  const own = addedWords(dependent, specs);
  const { item } = sourced;
  report(
    `unknown-${item.kind === 'attribute' ? 'attribute' : 'block'}`,
    `connector "${name}" (${kinds}) takes no ${word}, which ${nameOf(body)} writes`,
    place(sourced, item.kind === 'attribute' ? item.name : item.type),
    { help: own.length === 0 ? 'It takes no words of its own here.' : `Of its own it takes ${own.join(', ')} here.` },
  );
  return true;
}

/** Takes what reaches the connector alone out of the values of a body; `spec` is that of the whole body. */
export function takeWords(
  values: Record<PropertyKey, unknown>,
  { dependent, specs }: AskedConnector,
  spec: BlockSpec,
): WrittenWords {
  const fixed: Record<string, unknown> = {};
  const evaluated: Record<string, EvaluatedWord> = {};
  for (const word of addedWords(dependent, specs)) {
    if (isShared(dependent, word, specs) || !(word in values)) continue;
    if (isEvaluated(spec, word)) evaluated[word] = values[word] as EvaluatedWord;
    else fixed[word] = values[word];
    delete values[word];
  }
  return { fixed, evaluated };
}

function isEvaluated({ attributes, blocks }: BlockSpec, word: string): boolean {
  if (attributes[word]?.deferred === true) return false;
  const kind = (attributes[word] ?? blocks[word]?.fields)?.kind;
  return kind === 'cel' || kind === 'template' || kind === 'argument';
}
