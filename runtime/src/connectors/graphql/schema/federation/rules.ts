import type { Declaration, Project, Report } from '@svc/protocol/model';
import { isWritten, type Origin, originOf, type Values } from '@svc/protocol/schema';
import { closest } from '@svc/protocol/text';
import { parseReturns } from '../../../../flow/returns.ts';
import { type FieldModel, type TypeModel, type } from '../../../../flow/stages/validate/spec.ts';
import { decodeTypes } from '../../../../flow/stages/validate/type-rules.ts';
import { fieldOf, type Served } from '../served-rules.ts';
import { atField } from '../type-name-rules.ts';
import { fieldSetProblem } from './field-set.ts';

type Written = Declaration<Values<typeof type>>;
type Models = ReadonlyMap<string, TypeModel>;

/** What types say of a federation is about fields that there are, and entities have flows that resolve them. */
export function checkEntities(project: Project, servers: readonly Served[], report: Report): void {
  if (servers.length === 0) return;
  const models: Models = new Map(decodeTypes(project, () => undefined).map((model) => [model.name, model]));
  const generated = servers.filter(({ path }) => path === undefined);
  for (const declaration of project.all('type', type)) {
    const model = models.get(declaration.name);
    if (model === undefined) continue;
    checkSets(declaration, model, models, report);
    checkInterfaces(declaration, model, models, report);
    if (generated.some(({ federation }) => federation === 1)) refuseSecondVersion(declaration, model, report);
  }
  for (const server of servers) checkResolvers(server, project, models, report);
}

/** Keys, and the fields that others provide and require. */
function checkSets(declaration: Written, model: TypeModel, models: Models, report: Report): void {
  const tell = (problem: ReturnType<typeof fieldSetProblem>, at: Origin) => {
    if (problem !== undefined) report('unknown-field', problem.message, at, { help: problem.help });
  };
  for (const key of model.federation.keys)
    tell(fieldSetProblem(key, model, models), originOf(declaration.values, '_key'));
  for (const field of model.fields) {
    const at = atField(declaration, field.name);
    const { requires, provides } = field.constraints;
    if (requires !== undefined) tell(fieldSetProblem(requires.join(' '), model, models), at);
    const returned = returnedBy(field, models);
    if (provides === undefined) continue;
    if (returned === undefined)
      report('wrong-constraint', `field "${field.name}" is no object, so that it provides no fields`, at, {
        help: 'Remove provides.',
      });
    else tell(fieldSetProblem(provides.join(' '), returned, models), at);
  }
}

/** The type of the objects that a field holds. */
function returnedBy({ shape, constraints }: FieldModel, models: Models): TypeModel | undefined {
  return models.get(shape.kind === 'type' ? shape.type : (constraints.items ?? ''));
}

/** A type has the fields of what it implements, of the same kind. */
function checkInterfaces(declaration: Written, model: TypeModel, models: Models, report: Report): void {
  for (const name of model.federation.implements) {
    const at = originOf(declaration.values, '_implements');
    const implemented = models.get(name);
    if (implemented === undefined) continue;
    if (name === model.name || implemented.federation.implements.includes(model.name)) {
      report('circular-types', `type "${model.name}" and "${name}" implement each other`, at, {
        help: 'Remove _implements from one of them.',
      });
      continue;
    }
    for (const field of implemented.fields) {
      const own = model.fields.find((each) => each.name === field.name);
      const says =
        own === undefined
          ? `has no field "${field.name}"`
          : isSameShape(own, field)
            ? undefined
            : `has another kind of field "${field.name}"`;
      if (says !== undefined)
        report('unlike-interface', `type "${model.name}" implements "${name}" and ${says}`, at, {
          help: `Write the field as type "${name}" has it.`,
        });
    }
    for (const further of implemented.federation.implements)
      if (!model.federation.implements.includes(further))
        report('unlike-interface', `type "${model.name}" implements "${name}", which implements "${further}"`, at, {
          help: `Add "${further}" to _implements.`,
        });
  }
}

function isSameShape(own: FieldModel, field: FieldModel): boolean {
  const required = own.constraints.required || !field.constraints.required;
  const named = (one: FieldModel) => (one.shape.kind === 'type' ? one.shape.type : one.shape.kind);
  return (
    required &&
    named(own) === named(field) &&
    own.shape.kind !== 'fields' &&
    own.constraints.items === field.constraints.items &&
    own.constraints.format === field.constraints.format
  );
}

/** Version 1 of federations lacks these words. */
function refuseSecondVersion(declaration: Written, model: TypeModel, report: Report): void {
  const refuse = (word: string, at: Origin) =>
    report('wrong-version', `${word} needs version 2 of federations`, at, {
      help: 'Write version = 2 in the federation block, or remove the word.',
    });
  for (const word of ['_shareable', '_inaccessible'] as const)
    if (declaration.values[word] === true) refuse(word, originOf(declaration.values, word));
  for (const { name, constraints } of model.fields)
    for (const word of ['shareable', 'inaccessible', 'override'] as const)
      if (constraints[word] !== undefined && constraints[word] !== false) refuse(word, atField(declaration, name));
}

/** Types with keys have flows that resolve them; flows resolve types with keys. */
function checkResolvers(server: Served, project: Project, models: Models, report: Report): void {
  const { connector, flows, federation, path } = server;
  const known = new Set<string>();
  for (const { flow } of flows) {
    const { entity } = flow.values;
    if (entity === undefined || !isWritten(flow.values, 'entity')) continue;
    const at = originOf(flow.values, 'entity');
    if (federation === undefined)
      report('inert-attribute', `no reference reaches flow "${flow.name}": the federation is off`, at, {
        help: `Remove entity, or remove enabled = false from connector "${connector.name}".`,
      });
    if (known.has(entity))
      report('equal-entities', `another flow resolves references of "${entity}" already`, at, {
        help: 'Remove entity from one of them.',
      });
    known.add(entity);
    if (path !== undefined) continue;
    const model = models.get(entity);
    if (model === undefined) {
      const near = closest(entity, models.keys());
      report('unknown-type', `there is no type "${entity}"`, at, {
        help: near === undefined ? `Write type "${entity}" { … }.` : `Did you mean "${near}"?`,
      });
    } else if (model.federation.keys.length === 0)
      report('missing-key', `nothing refers to objects of "${entity}": the type has no key`, at, {
        help: `Write _key = "id" in type "${entity}".`,
      });
  }
  if (federation === undefined || path !== undefined) return;
  const returning = new Set(
    flows.flatMap((each) => {
      const returns = parseReturns(each.flow.values.returns ?? '');
      return returns !== undefined && !returns.list && fieldOf(each)?.type === 'Query' ? returns.type : [];
    }),
  );
  for (const declaration of project.all('type', type)) {
    const { name } = declaration;
    const isInterface = [...models.values()].some((model) => model.federation.implements.includes(name));
    if ((models.get(name)?.federation.keys.length ?? 0) === 0 || isInterface) continue;
    if (!known.has(name) && !returning.has(name))
      report(
        'unresolved-entity',
        `no flow resolves references of type "${name}"`,
        originOf(declaration.values, '_key'),
        {
          severity: 'warning',
          help: `Write entity = "${name}" in a flow from connector "${connector.name}"; references are answered with null until then.`,
        },
      );
  }
}
