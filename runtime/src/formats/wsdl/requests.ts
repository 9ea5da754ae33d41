import type { MessageContent, SoapContract } from './contract.ts';
import { childrenOf, type XmlElement } from './elements.ts';
import { ofSchema, SchemaParts } from './schema-parts.ts';

/** How an operation is asked for. */
export interface RequestForm {
  /** The element in the body of a request. */
  readonly name: string;
  /** Undefined: its element is in no namespace. */
  readonly namespace: string | undefined;
  /** Whether the elements inside that of the operation have its namespace. */
  readonly isQualified: boolean;
  /** What a request says in its header; undefined where the description does not say it. */
  readonly action: string | undefined;
  /** The elements inside, in their order; undefined where the description allows others too. */
  readonly parameters: readonly string[] | undefined;
}

/** Levels of groups and bases of one type. */
const deepest = 50;

/** How the operations of a service are asked for, by the names of their elements. */
export function requestForms({ operations, schemas }: SoapContract): ReadonlyMap<string, RequestForm> {
  const parts = new SchemaParts(schemas);
  return new Map(
    operations.map(({ local, namespace, action, input }) => [
      local,
      {
        name: local,
        namespace: namespace === '' ? undefined : namespace,
        isQualified: isQualified(input, parts),
        action,
        parameters: parametersOf(input, parts),
      },
    ]),
  );
}

function isQualified(content: MessageContent, parts: SchemaParts): boolean {
  const element = content.kind === 'element' ? parts.find('element', content.element) : undefined;
  // What is inside of an element without a named type is of its own schema.
  const named = element?.names.get('type');
  const part = (named && parts.find('complexType', named)) ?? element;
  return part !== undefined && parts.isQualified(part);
}

function parametersOf(content: MessageContent, parts: SchemaParts): readonly string[] | undefined {
  if (content.kind === 'parts') return content.parts.map(({ attributes }) => attributes['name'] ?? '');
  const element = parts.find('element', content.element);
  const type = element && typeOf(element, parts);
  const names = type && elementsIn(type, parts, 0);
  return names && [...new Set(names)];
}

/** The complex type of an element, by name or inside of it. */
function typeOf(element: XmlElement, parts: SchemaParts): XmlElement | undefined {
  const named = element.names.get('type');
  return named === undefined ? childrenOf(element, 'complexType', ofSchema)[0] : parts.find('complexType', named);
}

/** Names of the elements that a part of a schema allows; undefined where it allows any. */
function elementsIn(part: XmlElement, parts: SchemaParts, depth: number): readonly string[] | undefined {
  if (depth > deepest) return undefined;
  const names: string[] = [];
  for (const child of part.children) {
    if (child.namespace !== ofSchema) continue;
    const found = elementsOf(child, parts, depth + 1);
    if (found === undefined) return undefined;
    names.push(...found);
  }
  return names;
}

function elementsOf(child: XmlElement, parts: SchemaParts, depth: number): readonly string[] | undefined {
  switch (child.local) {
    case 'element':
      return [child.attributes['name'] ?? child.names.get('ref')?.local ?? ''];
    case 'sequence':
    case 'all':
    case 'choice':
    case 'complexContent':
    case 'restriction':
      return elementsIn(child, parts, depth);
    case 'extension': {
      const base = child.names.get('base');
      const extended = base && parts.find('complexType', base);
      const inherited = extended && elementsIn(extended, parts, depth);
      const own = elementsIn(child, parts, depth);
      return inherited && own && [...inherited, ...own];
    }
    case 'group': {
      const name = child.names.get('ref');
      const group = name && parts.find('group', name);
      return group && elementsIn(group, parts, depth);
    }
    case 'any':
    case 'simpleContent':
      return undefined;
    default:
      return [];
  }
}
