import type { DeclaredField, DeclaredType } from '../../../../foundation/contracts/types.ts';
import { quoted } from '../text.ts';

/** Directives behind types and fields. */
export interface Annotations {
  ofType(type: DeclaredType, isInterface: boolean): string;
  ofField(field: DeclaredField): string;
  /** Of a type that another one has in itself. */
  ofNested(outer: DeclaredType): string;
  /** Of the field that an empty root type has instead. */
  ofPlaceholder(): string;
}

/** Of a schema that is part of no federation. */
export const noAnnotations: Annotations = {
  ofType: () => '',
  ofField: () => '',
  ofNested: () => '',
  ofPlaceholder: () => '',
};

/** Those of a federation, in the version of its specification (https://specs.apollo.dev/federation/v2.0). */
export function annotationsOf(version: 1 | 2): Annotations {
  const second = (directives: readonly string[]) => (version === 2 ? directives : []);
  return {
    ofType: ({ federation: { keys, shareable, inaccessible } }, isInterface) =>
      listed([
        ...keys.map((fields) => `@key(fields: ${quoted(fields)})`),
        ...second([...(shareable && !isInterface ? ['@shareable'] : []), ...(inaccessible ? ['@inaccessible'] : [])]),
      ]),
    ofField: ({ constraints: { external, provides, requires, shareable, inaccessible, override } }) =>
      listed([
        ...(external === true ? ['@external'] : []),
        ...(requires === undefined ? [] : [`@requires(fields: ${quoted(requires.join(' '))})`]),
        ...(provides === undefined ? [] : [`@provides(fields: ${quoted(provides.join(' '))})`]),
        ...second([
          ...(shareable === true ? ['@shareable'] : []),
          ...(inaccessible === true ? ['@inaccessible'] : []),
          ...(override === undefined ? [] : [`@override(from: ${quoted(override)})`]),
        ]),
      ]),
    ofNested: ({ federation: { shareable } }) => listed(second(shareable ? ['@shareable'] : [])),
    ofPlaceholder: () => listed(second(['@shareable'])),
  };
}

function listed(directives: readonly string[]): string {
  return directives.map((directive) => ` ${directive}`).join('');
}
