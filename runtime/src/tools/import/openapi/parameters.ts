import { quote } from '@svc/protocol/syntax';
import type { ContractParameter } from '../../../platform/formats/openapi/contract.ts';
import { type Documents, member } from '../../../platform/formats/openapi/documents.ts';
import { schemaOf } from '../../../platform/formats/openapi/schema.ts';
import { count, type Leave, scalarConstraints, scalarWord, shown, standardOf } from './fields.ts';
import { parameterName, type Route } from './routes.ts';

/** Headers that belong to HTTP: the document describes them otherwise, or not at all. */
const ofHttp: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization']);

/** The blocks of the parameters of an operation; `isPlain` when its path says the same without them. */
export function parameterBlocks(route: Route, documents: Documents) {
  const leave: Leave = (at, why) => documents.leave(at, why);
  const seen = new Set<string>();
  const blocks = route.operation.parameters.flatMap((parameter) => {
    const name = parameterName(route, parameter);
    if (parameter.in === 'header' && ofHttp.has(parameter.name.toLowerCase())) return [];
    if (!['path', 'query', 'header'].includes(parameter.in)) {
      leave(parameter.at, `parameters in ${shown(parameter.in)} are not declared: flows find it in input.headers`);
      return [];
    }
    if (parameter.in === 'path' && ![...route.renamed.values()].includes(name)) {
      leave(parameter.at, `the path has no {${shown(name)}}`);
      return [];
    }
    if (seen.has(name)) {
      leave(parameter.at, 'another parameter has this name, which flows find in the same place');
      return [];
    }
    seen.add(name);
    if (!/^[\p{L}_][\p{L}\p{N}_-]*$/u.test(name)) {
      leave(parameter.at, 'no parameter of an operation can have this name: flows find it in input');
      return [];
    }
    return [{ name, parameter, lines: linesOf(parameter, documents, leave) }];
  });
  const isPlain = blocks.every(({ parameter, lines }) => parameter.in === 'path' && lines.length === 0);
  const texts = blocks.map(({ name, parameter, lines }) => {
    const required = parameter.required ? ['required = true'] : [];
    const all = [...lines, `in = ${quote(parameter.in)}`, ...required];
    return `param ${quote(name)} {\n${all.join('\n')}\n}\n`;
  });
  return { isPlain, texts };
}

function linesOf(parameter: ContractParameter, documents: Documents, leave: Leave): readonly string[] {
  const line = (parameter.description ?? '').replace(/\s+/g, ' ').trim();
  const about = line === '' ? [] : [`description = ${quote(line)}`];
  if (parameter.schema === undefined) return about;
  const resolved = documents.resolve(parameter.at);
  for (const [word, usual] of [
    ['style', ['form', 'simple']],
    ['explode', [true]],
    ['allowReserved', [false]],
  ] as const) {
    const value = member(resolved?.value, word);
    const isUsual = (usual as readonly unknown[]).includes(value) || (parameter.in !== 'query' && word === 'explode');
    if (value !== undefined && !isUsual)
      leave(parameter.at, `${word} ${shown(String(value))}: it is read as other parameters are`);
  }
  const schema = schemaOf([parameter.schema], documents);
  for (const other of schema.others) leave(other, `${other.pointer.replace(/^.*\//, '')} is not checked`);
  const word = scalarWord(schema.types);
  const type = [...(schema.types ?? [])];
  if (word !== undefined && word !== 'id' && schema.alternatives.length === 0) {
    const standard = standardOf(word, schema, leave);
    const kind = word === 'string' ? [] : [`type = ${quote(word)}`];
    return [...kind, ...scalarConstraints(word, schema, leave, false), ...standard, ...about];
  }
  if (type.length === 1 && type[0] === 'array') {
    leave(schema.target, 'what is in the list is not checked');
    const { minItems, maxItems } = schema.facts;
    return ['type = "array"', ...count('min_length', minItems), ...count('max_length', maxItems), ...about];
  }
  if (type.length === 1 && type[0] === 'object') {
    leave(schema.target, 'what is in the object is not checked');
    return ['type = "object"', ...about];
  }
  leave(schema.target, 'no parameter has several types: any text is let through');
  return about;
}
