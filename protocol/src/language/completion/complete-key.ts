import { type Expression, literalText, locate } from '../../syntax/index.ts';
import { type Range, touches } from '../../text/index.ts';
import { connectorsAsked } from '../names.ts';
import type { FileState, ProjectState } from '../states.ts';
import type { LanguageSupport } from '../support.ts';
import { attributeNamed, type WrittenBody } from '../written.ts';
import type { CompletionItem } from './completion.ts';

/**
 * Parameters that are not written yet, where one may be written: in the object or in the block that passes parameters
 * to what is asked. Undefined anywhere else. `word` is the one that is being written.
 */
export function completeKey(
  file: FileState,
  offset: number,
  word: Range,
  { project }: ProjectState,
  support: LanguageSupport,
): readonly CompletionItem[] | undefined {
  const place = keyPlaceIn(file, offset, word);
  if (place === undefined) return undefined;
  const connector = connectorAround(place.asker, file);
  const parameters = support.parameters(
    connector === undefined ? undefined : project.connectors.get(connector),
    textsOf(place.asker, file),
  );
  return parameters
    .filter(({ name }) => !place.written.has(name))
    .map(({ name, detail, doc }) => {
      const key = /^[A-Za-z_][\w-]*$/.test(name) ? name : JSON.stringify(name);
      return {
        label: name,
        kind: 'attribute',
        detail,
        doc,
        edit: { range: word, text: `${key} = ` },
        snippet: `${key} = "$0"`,
        rank: 0,
      };
    });
}

/** A place where the name of a parameter may be written. */
interface KeyPlace {
  /** The body of the block that asks. */
  readonly asker: WrittenBody;
  /** Parameters that are written elsewhere in the same place. */
  readonly written: ReadonlySet<string>;
}

function keyPlaceIn({ tree, written }: FileState, offset: number, word: Range): KeyPlace | undefined {
  const { part, blocks, attribute } = locate(tree, offset);
  const innermost = blocks.at(-1);
  const body = written.bodies.find(({ block }) => block === innermost);
  if (body === undefined) return undefined;
  const isOther = (name: Range) => !touches(word, name.start);
  if (part === 'attribute-value' && attribute?.value?.kind === 'object') {
    if (!passesParameters(body, attribute.name.text)) return undefined;
    const { start, end, entries } = attribute.value;
    if (offset <= start || (offset >= end && tree.text.charAt(end - 1) === '}')) return undefined;
    if (!/[{,\n]\s*$/.test(tree.text.slice(start, word.start))) return undefined;
    if (entries.some(({ value }) => offset > value.start && offset < value.end)) return undefined;
    const others = entries.filter(({ key }) => isOther(key)).flatMap(({ key }) => keyText(key) ?? []);
    return { asker: body, written: new Set(others) };
  }
  if ((part !== 'body' && part !== 'attribute-name') || body.outer === undefined || innermost === undefined)
    return undefined;
  if (!passesParameters(body.outer, innermost.type.text)) return undefined;
  const others = body.body.items.flatMap((item) =>
    item.kind === 'attribute' && isOther(item.name) ? [item.name.text] : [],
  );
  return { asker: body.outer, written: new Set(others) };
}

function keyText(key: Expression): string | undefined {
  return key.kind === 'variable' ? key.name : literalText(key);
}

function passesParameters({ spec }: WrittenBody, word: string): boolean {
  if (spec === undefined) return false;
  const block = Object.hasOwn(spec.blocks, word) ? spec.blocks[word] : undefined;
  return (attributeNamed(spec, word) ?? block)?.keys === 'parameters';
}

/** The connector that a block asks, or that the nearest block around it asks. */
function connectorAround(asker: WrittenBody, { written }: FileState): string | undefined {
  const asked = connectorsAsked(written.values);
  for (let at: WrittenBody | undefined = asker; at !== undefined; at = at.outer) {
    const name = asked.get(at);
    if (name !== undefined) return name;
  }
  return undefined;
}

function textsOf(asker: WrittenBody, { written }: FileState): ReadonlyMap<string, string> {
  return new Map(
    written.values.flatMap(({ body, name, value }) => {
      const text = body === asker ? literalText(value) : undefined;
      return text === undefined ? [] : [[name.text, text] as const];
    }),
  );
}
