import { functionDocumentation } from '@svc/protocol/cel';
import {
  type BlockSpec,
  describeAttribute,
  describeBlock,
  describeConnector,
  type Vocabulary,
} from '@svc/protocol/schema';
import { functionText } from '../../checks/reference/pages.ts';
import { vocabulary } from '../../checks/vocabulary.ts';
import type { Added } from './added.ts';

/** Pages for a path of words; a single word is searched everywhere. */
export function explain(vocabulary: Vocabulary, words: readonly string[]): string[] {
  const [first = '', ...rest] = words;
  const block = own(vocabulary.blocks, first);
  const connectors = vocabulary.connectors.filter(({ type, driver, typeAliases }) =>
    [type, driver, ...typeAliases].includes(first),
  );
  if (rest.length === 0) {
    const pages = [...(block ? [describeBlock([first], block)] : []), ...connectors.map(describeConnector)];
    const functions = functionDocumentation.filter(({ name }) => name === first).map(functionText);
    return pages.length > 0 || functions.length > 0 ? [...pages, ...functions] : mentions(vocabulary, first);
  }
  const bodies = [...(block ? [block] : []), ...connectors.map(({ config }) => config)];
  return bodies.flatMap((body) => within(body, [first], rest));
}

/** The block or attribute that a path of words leads to. */
function within(body: BlockSpec, path: readonly string[], [word = '', ...rest]: readonly string[]): string[] {
  const attribute = own(body.attributes, word);
  if (attribute && rest.length === 0) return [`${path.join(' ')}\n\n${describeAttribute(word, attribute)}`];
  const inner = own(body.blocks, word);
  if (!inner) return [];
  return rest.length === 0 ? [describeBlock([...path, word], inner)] : within(inner, [...path, word], rest);
}

/** Every place where an attribute or a nested block of this name may be written. */
function mentions(vocabulary: Vocabulary, word: string): string[] {
  const found: string[] = [];
  const visit = (body: BlockSpec, path: readonly string[]) => {
    const attribute = own(body.attributes, word);
    if (attribute) found.push(`${path.join(' ')}\n${describeAttribute(word, attribute)}`);
    for (const [name, inner] of Object.entries(body.blocks)) {
      if (path.includes(name)) continue;
      if (name === word) found.push(describeBlock([...path, name], inner, 1));
      else visit(inner, [...path, name]);
    }
  };
  for (const [name, body] of Object.entries(vocabulary.blocks)) visit(body, [name]);
  for (const { type, driver, config } of vocabulary.connectors)
    visit(config, [`connector type = "${type}"${driver === undefined ? '' : ` driver = "${driver}"`}`]);
  return found;
}

/** Every word that may be asked for. */
export function everyWord(added: Added | undefined): string[] {
  const words = new Set<string>([...functionDocumentation.map(({ name }) => name), ...(added?.names ?? [])]);
  const all = added?.vocabulary ?? vocabulary;
  const visit = (body: BlockSpec, depth: number) => {
    for (const name of Object.keys(body.attributes)) words.add(name);
    for (const [name, inner] of Object.entries(body.blocks)) {
      words.add(name);
      if (depth < 6) visit(inner, depth + 1);
    }
  };
  for (const [name, body] of Object.entries(all.blocks)) {
    words.add(name);
    visit(body, 0);
  }
  for (const { type, driver, config } of all.connectors) {
    words.add(type);
    if (driver !== undefined) words.add(driver);
    visit(config, 0);
  }
  return [...words];
}

/** The value of a name; undefined for names that every object inherits. */
function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
