import { type BodyForm, messageBudget } from '../budget.ts';
import { textOf } from '../text.ts';
import { charsetOf } from './charset.ts';
import { emptyMap, XmlTree } from './tree.ts';

/**
 * Decodes a document of XML in the character set that it or its sender says: the content of the root as a map (see
 * `XmlTree`), a root of text alone as `value`. Throws `body_undecodable`, `body_too_large` beyond the budget, and
 * `media_type_unsupported` for a character set that is not known.
 */
export function decodeXml(bytes: Uint8Array, { charset, budget = messageBudget }: BodyForm = {}): unknown {
  const tree = new XmlTree(budget);
  tree.write(textOf(bytes, charsetOf(bytes, charset)));
  return asMap(tree.end());
}

/** The content of a root as a map. */
export function asMap(content: unknown): Record<string, unknown> {
  if (typeof content === 'object' && content !== null) return content as Record<string, unknown>;
  const map = emptyMap();
  if (content !== '') map['value'] = content;
  return map;
}
