import type { DeclaredField, DeclaredType } from '../../../../foundation/contracts/types.ts';
import type { Tell } from '../published.ts';

/** A type has the fields of what it implements, of the same kind. */
export function checkInterfaces(type: DeclaredType, types: ReadonlyMap<string, DeclaredType>, tell: Tell): void {
  const { name, federation } = type;
  const problem = (code: string, message: string, help: string) =>
    tell({ code, message, at: { of: 'type', name, word: '_implements' }, help });
  for (const other of federation.implements) {
    const implemented = types.get(other);
    // A type that does not exist is reported where types are looked up.
    if (implemented === undefined) continue;
    if (other === name || implemented.federation.implements.includes(name)) {
      const says = `type "${name}" and "${other}" implement each other`;
      problem('circular-types', says, 'Remove _implements from one of them.');
      continue;
    }
    for (const field of implemented.fields) {
      const own = type.fields.find((each) => each.name === field.name);
      if (own !== undefined && isSameShape(own, field)) continue;
      const lack = own === undefined ? `has no field "${field.name}"` : `has another kind of field "${field.name}"`;
      const says = `type "${name}" implements "${other}" and ${lack}`;
      problem('unlike-interface', says, `Write the field as type "${other}" has it.`);
    }
    for (const further of implemented.federation.implements)
      if (!federation.implements.includes(further)) {
        const says = `type "${name}" implements "${other}", which implements "${further}"`;
        problem('unlike-interface', says, `Add "${further}" to _implements.`);
      }
  }
}

function isSameShape(own: DeclaredField, field: DeclaredField): boolean {
  const named = ({ shape }: DeclaredField) => (shape.kind === 'type' ? shape.type : shape.kind);
  return (
    (own.constraints.required || !field.constraints.required) &&
    named(own) === named(field) &&
    own.shape.kind !== 'fields' &&
    own.constraints.items === field.constraints.items &&
    own.constraints.format === field.constraints.format
  );
}
