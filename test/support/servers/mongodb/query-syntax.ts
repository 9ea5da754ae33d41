import { CommandError } from './command-error.ts';
import { queryOf } from './filters.ts';
import type { Fields } from './wire.ts';

/** Refuses a projection that leaves fields out and keeps others, but for `_id`. */
export function refuseProjection(projection: Fields = {}): void {
  const kept = Object.entries(projection).filter(([name, keeps]) => name !== '_id' && typeof keeps !== 'object');
  const [first] = kept;
  const other = kept.find(([, keeps]) => Boolean(keeps) !== Boolean(first?.[1]));
  if (other === undefined) return;
  const [code, text] = first?.[1]
    ? [31_254, `Cannot do exclusion on field ${other[0]} in inclusion projection`]
    : [31_253, `Cannot do inclusion on field ${other[0]} in exclusion projection`];
  throw new CommandError(code, `Location${code}`, text);
}

/** Refuses a part of the documents that there is not. */
export function refusePart(command: Fields): void {
  for (const name of ['limit', 'skip'])
    if (Number(command[name] ?? 0) < 0)
      throw new CommandError(51_024, 'Location51024', `BSON field '${name}' value must be >= 0`);
}

const stages: readonly string[] =
  '$match $project $set $addFields $unset $group $sort $limit $skip $count $unwind $lookup $out $merge $facet $sample $replaceRoot $replaceWith $bucket $bucketAuto $sortByCount $unionWith $graphLookup $setWindowFields $fill $densify $redact $changeStream $documents'.split(
    ' ',
  );

/** Refuses a pipeline of which mingo takes what the server does not, or says it in its own words. */
export function refusePipeline(pipeline: readonly Fields[]): void {
  const refused = (code: number, text: string) => new CommandError(code, `Location${code}`, text);
  for (const stage of pipeline) {
    const [name = '', ...others] = Object.keys(stage);
    if (others.length > 0 || name === '')
      throw refused(40_323, 'A pipeline stage specification object must contain exactly one field.');
    if (!stages.includes(name)) throw refused(40_324, `Unrecognized pipeline stage name: '${name}'`);
    const operand = stage[name] as Fields;
    if (name === '$limit' && Number(operand) <= 0) throw refused(15_958, 'the limit must be positive');
    if (name === '$group' && !('_id' in operand)) throw refused(15_955, 'a group specification must include an _id');
    if (name === '$match') queryOf(operand);
    if (name === '$project') refuseProjection(operand);
  }
}

/** Refuses the name of a collection that none may have. */
export function refuseName(name: string): void {
  if (name === '' || name.includes('$') || name.includes('\0') || name.startsWith('.'))
    throw new CommandError(73, 'InvalidNamespace', `Invalid collection name: ${name}`);
}
