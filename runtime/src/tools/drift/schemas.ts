import type { Located } from '../../platform/formats/openapi/documents.ts';
import { type JsonType, type Schema, schemaOf } from '../../platform/formats/openapi/schema.ts';
import type { Comparison, Direction } from './comparison.ts';
import { compareConstraints } from './constraints.ts';
import type { DifferenceCode } from './difference.ts';

/** Two schemas of one value. */
export function compareSchemas(contract: readonly Located[], served: readonly Located[], around: Comparison): void {
  const [a, b] = [schemaOf(contract, around.contract), schemaOf(served, around.served)];
  const pair = `${around.direction} ${a.key} ${b.key}`;
  if (around.seen.has(pair)) return;
  around.seen.add(pair);
  const report = (code: DifferenceCode, isBreaking: boolean, says: string) =>
    around.differ({ code, isBreaking, message: `${around.subject} ${says}`, says, contract: a.at, served: b.at });
  // Of alternatives a configuration says nothing: the import lists them.
  if (a.alternatives.length > 0 || b.alternatives.length > 0) return;
  if (b.types === undefined || isOpen(a, b)) {
    if (a.types !== undefined)
      report('contract-type', false, 'is not described by a type here: nothing of it is compared');
    return;
  }
  if (!compareTypes(a, b, around.direction, report)) return;
  compareConstraints(a, b, around, (isBreaking, says) => report('contract-constraint', isBreaking, says));
  if (b.types.has('object') && a.types?.has('object') && a.properties.size > 0) compareFields(a, b, around);
  if (a.items.length > 0 && b.items.length > 0)
    compareSchemas(a.items, b.items, { ...around, subject: `${around.subject}[]`, isElement: true });
}

/** An object of which nothing is known, beside one that has fields. */
function isOpen(contract: Schema, served: Schema): boolean {
  return (
    served.types?.size === 1 &&
    served.types.has('object') &&
    served.properties.size === 0 &&
    contract.properties.size > 0
  );
}

function compareTypes(
  a: Schema,
  b: Schema,
  direction: Direction,
  report: (code: DifferenceCode, isBreaking: boolean, says: string) => void,
): boolean {
  if (a.types === undefined) {
    report('contract-type', direction === 'request', `is ${worded(b.types)} here, and any value in the contract`);
    return false;
  }
  // Of an identifier that may be a text or a number, a configuration does not say which numbers.
  const isEither = a.types.has('string') && b.types?.has('string') === true;
  const has = (types: ReadonlySet<JsonType> | undefined, type: JsonType) =>
    types?.has(type) === true ||
    (type === 'integer' && types?.has('number') === true) ||
    (isEither && type === 'number' && types?.has('integer') === true);
  const [asked, given] = direction === 'request' ? [a.types, b.types] : [b.types, a.types];
  const isKept = [...(asked ?? [])].every((type) => has(given, type));
  const isEqual = isKept && [...(given ?? [])].every((type) => has(asked, type));
  if (!isEqual) report('contract-type', !isKept, `is ${worded(b.types)} here, and ${worded(a.types)} in the contract`);
  return isKept;
}

function worded(types: ReadonlySet<JsonType> | undefined): string {
  return types === undefined ? 'any value' : [...types].join(' or ');
}

function compareFields(a: Schema, b: Schema, around: Comparison): void {
  const { direction, differ, subject } = around;
  const isRequest = direction === 'request';
  const report = (isBreaking: boolean, says: string, contract: Located | undefined, served: Located | undefined) =>
    differ({ code: 'contract-type', isBreaking, message: `${subject} ${says}`, says, contract, served });
  // Fields that a flow builds have names, and nothing else is known of them.
  const isBuilt = b.required.size === 0 && [...b.properties.values()].every((parts) => parts.every(isUnknown));
  for (const [name, parts] of a.properties) {
    const contract = schemaOf(parts, around.contract);
    if (isRequest ? contract.facts.readOnly : contract.facts.writeOnly) continue;
    const own = b.properties.get(name);
    const isNeeded = !mayBeMissing(a, name, contract, direction);
    if (own === undefined) {
      report(!isRequest && isNeeded, `has the field "${name}" in the contract, and not here`, parts[0], b.target);
      continue;
    }
    if (isBuilt) continue;
    const served = schemaOf(own, around.served);
    const isServed = !mayBeMissing(b, name, served, direction);
    if (isNeeded !== isServed) {
      const isBreaking = isRequest ? isServed : isNeeded && !contract.facts.readOnly;
      const [here, there] = isServed ? ['must be there', 'may be absent'] : ['may be absent', 'must be there'];
      report(isBreaking, `has the field "${name}", which ${here} here and ${there} in the contract`, parts[0], own[0]);
    }
    compareSchemas(parts, own, { ...around, subject: `${subject}.${name}`, isElement: false });
  }
  for (const [name, own] of b.properties) {
    if (a.properties.has(name)) continue;
    const isNeeded = isRequest && !mayBeMissing(b, name, schemaOf(own, around.served), direction);
    report(isNeeded, `has the field "${name}" here, and not in the contract`, a.target, own[0]);
  }
}

function isUnknown({ value }: Located): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** Absent and null are one for a configuration. A default fills in what a request does not have. */
function mayBeMissing(owner: Schema, name: string, field: Schema, direction: Direction): boolean {
  const isFilled = direction === 'request' && field.facts.default !== undefined;
  return !owner.required.has(name) || (field.isNullable && field.types !== undefined) || isFilled;
}
