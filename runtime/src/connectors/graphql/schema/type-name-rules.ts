import type { Declaration, Project, Report } from '@svc/protocol/model';
import type { Origin, Values } from '@svc/protocol/schema';
import { type FieldModel, type TypeModel, type } from '../../../flow/stages/validate/spec.ts';
import { decodeTypes } from '../../../flow/stages/validate/type-rules.ts';
import { equalValueNames } from './enums.ts';
import { inputName, nameProblem, nestedName, typeNameProblem } from './names.ts';
import { TypeWriter } from './types.ts';

type Written = Declaration<Values<typeof type>>;

/** Types can be published: names that GraphQL takes, each once, also those that are made of them. */
export function checkTypeNames(project: Project, report: Report): void {
  const models = new Map(decodeTypes(project, () => undefined).map((model) => [model.name, model]));
  const names = new Map<string, string>();
  for (const declaration of project.all('type', type)) names.set(declaration.name, `type "${declaration.name}"`);
  for (const declaration of project.all('type', type)) {
    const model = models.get(declaration.name);
    if (model === undefined) continue;
    const problem = typeNameProblem(model.name);
    if (problem !== undefined)
      report('unpublished-name', `type "${model.name}" ${problem}`, declaration.nameOrigin, {
        help: 'Rename the type: a server of GraphQL publishes every type under its name.',
      });
    claim(inputName(model.name), `the input of type "${model.name}"`, declaration.nameOrigin, names, report);
    for (const field of model.fields) checkField(field, model.name, atField(declaration, field.name), names, report);
  }
  checkEnumNames(models, project, names, report);
}

function checkField(field: FieldModel, owner: string, at: Origin, names: Map<string, string>, report: Report): void {
  const problem = nameProblem(field.name);
  if (problem !== undefined)
    report('unpublished-name', `field "${field.name}" of "${owner}" ${problem}`, at, {
      help: 'Rename the field: a server of GraphQL publishes it under its name.',
    });
  const { enum: values } = field.constraints;
  const [one, other, name] = (values && equalValueNames(values)) ?? [];
  if (name !== undefined)
    report(
      'equal-enum-values',
      `enum of field "${field.name}": "${String(one)}" and "${String(other)}" are both ${name} in the schema`,
      at,
      { help: 'Write values that differ in more than case and punctuation.' },
    );
  if (field.shape.kind !== 'fields') return;
  const nested = nestedName(owner, field.name);
  claim(nested, `field "${field.name}" of "${owner}"`, at, names, report);
  claim(inputName(nested), `the input of field "${field.name}" of "${owner}"`, at, names, report);
  for (const inner of field.shape.fields) checkField(inner, nested, at, names, report);
}

function checkEnumNames(
  models: ReadonlyMap<string, TypeModel>,
  project: Project,
  names: Map<string, string>,
  report: Report,
): void {
  const { all } = new TypeWriter([...models.values()]).enums;
  for (const name of all.keys()) {
    const taken = project.all('type', type).find((each) => each.name === name);
    if (taken !== undefined || names.has(name))
      report(
        'unpublished-name',
        `${names.get(name)} has the name of an enum that is made of a field`,
        taken?.nameOrigin ?? { file: '', range: { start: 0, end: 0 } },
        { help: 'Rename the type.' },
      );
  }
}

/** Takes a name that is made of others; what has it already is told. */
function claim(name: string, who: string, at: Origin, names: Map<string, string>, report: Report): void {
  const other = names.get(name);
  if (other === undefined) {
    names.set(name, who);
    return;
  }
  report('unpublished-name', `${who} and ${other} are both ${name} in the schema`, at, { help: 'Rename one of them.' });
}

/** Where a field of a type is written. */
export function atField({ values, nameOrigin }: Written, field: string): Origin {
  return values.fields.find(({ name }) => name === field)?.origin ?? nameOrigin;
}
