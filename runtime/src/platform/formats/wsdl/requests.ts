import type { MessageContent, SoapContract } from './contract.ts';
import { type ElementForm, ElementForms } from './element-forms.ts';
import { SchemaParts } from './schema-parts.ts';

/** How an operation is asked for. */
export interface RequestForm {
  /** The element in the body of a request. */
  readonly name: string;
  /** Undefined: its element is in no namespace. */
  readonly namespace: string | undefined;
  /** Whether the elements inside that of the operation have its namespace, where its type does not say another one of each. */
  readonly isQualified: boolean;
  /** What a request says in its header; undefined where the description does not say it. */
  readonly action: string | undefined;
  /** The names of the elements inside, in their order; undefined where the description allows others too. */
  readonly parameters: readonly string[] | undefined;
  /** The same with what is inside of them. */
  readonly elements: readonly ElementForm[] | undefined;
}

/** How the operations of a service are asked for, by the names of their elements. */
export function requestForms({ operations, schemas }: SoapContract): ReadonlyMap<string, RequestForm> {
  const parts = new SchemaParts(schemas);
  const forms = new ElementForms(parts);
  return new Map(
    operations.map(({ local, namespace, action, input }) => {
      const elements = elementsOf(input, forms);
      return [
        local,
        {
          name: local,
          namespace: namespace === '' ? undefined : namespace,
          isQualified: isQualified(input, parts),
          action,
          parameters: elements?.map(({ name }) => name),
          elements,
        },
      ];
    }),
  );
}

function isQualified(content: MessageContent, parts: SchemaParts): boolean {
  const element = content.kind === 'element' ? parts.find('element', content.element) : undefined;
  // What is inside of an element without a named type is of its own schema.
  const named = element?.names.get('type');
  const part = (named && parts.find('complexType', named)) ?? element;
  return part !== undefined && parts.isQualified(part);
}

function elementsOf(content: MessageContent, forms: ElementForms): readonly ElementForm[] | undefined {
  if (content.kind === 'element') return forms.ofElement(content.element);
  // Parts of their own types are in no namespace.
  return content.parts.map(({ attributes, names }) => ({
    name: attributes['name'] ?? '',
    namespace: undefined,
    inside: () => forms.ofType(names.get('type')),
  }));
}
