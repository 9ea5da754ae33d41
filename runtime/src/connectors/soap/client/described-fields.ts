import { Fields as OwnFields } from '@svc/protocol/cel';
import type { ElementForm } from '../../../platform/formats/wsdl/element-forms.ts';
import { isMap } from '../map.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Fields as a schema has them: each element in its namespace, in the order of the schema. `around` is the namespace that
 * elements without a prefix have there. Attributes, and what the schema does not name, come first and are taken as they are.
 */
export function describedFields(fields: Fields, forms: readonly ElementForm[], around: string | undefined): Fields {
  const named = new Map(forms.map((form) => [form.name, form]));
  const written = new OwnFields();
  for (const name of Object.keys(fields)) if (!named.has(name)) written[name] = fields[name];
  for (const [name, form] of named)
    if (Object.hasOwn(fields, name)) written[name] = describedItems(fields[name], form, around);
  return written;
}

function describedItems(value: unknown, form: ElementForm, around: string | undefined): unknown {
  return Array.isArray(value) ? value.map((each) => described(each, form, around)) : described(value, form, around);
}

function described(value: unknown, form: ElementForm, around: string | undefined): unknown {
  const { namespace } = form;
  const isOther = namespace !== around;
  if (isMap(value)) {
    const inside = form.inside();
    const fields = inside === undefined ? value : describedFields(value, inside, namespace);
    return isOther && !Object.hasOwn(value, '@xmlns') ? { '@xmlns': namespace ?? '', ...fields } : fields;
  }
  // A list in a list has elements that no schema names.
  if (!isOther || Array.isArray(value)) return value;
  return { '@xmlns': namespace ?? '', ...(value !== null && value !== undefined && { '#text': value }) };
}
