import { kindOf } from '@svc/protocol/cel';
import type { Variables } from '@svc/protocol/wire';
import type { Frame } from '../../../engine/flow/message/frame.ts';
import { Content } from '../../../foundation/contracts/content.ts';
import { mask } from '../../../foundation/observe/mask.ts';
import { shownRule } from '../inspect.ts';
import type { Stop, Thread } from '../threads/thread.ts';
import { mostForced } from './forced.ts';
import { askedLimits, type Secrecy } from './snapshot.ts';

type Fields = Record<string, unknown>;

/** A path that leads nowhere, or to what cannot be changed. */
export class PathProblem extends Error {
  override readonly name = 'PathProblem';
}

/** The values of a thread; of a running one, its present values. */
export function variablesOf({ frame, stop, forced, secrecy }: Thread): Variables {
  const scope = (stop?.scope ?? frame) as Frame;
  const { input, output, enriched, step } = scope;
  const show = (value: unknown) => secrecy.show(value ?? {}, askedLimits);
  const shown = {
    input: show(input),
    output: show(output),
    enriched: show(enriched),
    steps: show(step),
    ...(stop === undefined ? {} : othersOf(stop, secrecy)),
    forced: forced.list((path) => rawValueAt(scope, path, secrecy), secrecy),
  };
  const rule = stop?.rule;
  if (rule === undefined) return shown;
  return { ...shown, rule: { ...shownRule(rule, secrecy), result: null } };
}

/** Variables of every flow that are set in parts of it only. */
const setSometimes = ['error', 'captured', 'lock'] as const;

/** What only expressions at this stop read, and who calls where that is known; nothing of what is not set there. */
function othersOf({ place, rule, scope }: Stop, secrecy: Secrecy): Pick<Variables, 'others'> {
  const names = new Set<string>([
    ...setSometimes,
    ...(rule === undefined ? place.rules : [rule]).flatMap(({ variables = [] }) => variables),
  ]);
  const found: Fields = {};
  if (isKnown((scope as Fields)['auth'])) names.add('auth');
  for (const name of names) {
    const value = (scope as Fields)[name];
    if (value === undefined || (kindOf(value) === 'map' && Object.keys(value as object).length === 0)) continue;
    found[name] = secrecy.hides(name) ? mask : secrecy.show(value, askedLimits);
  }
  return Object.keys(found).length === 0 ? {} : { others: found };
}

/** Whether a caller was recognised, or a hook of sign-in runs the flow. */
function isKnown(auth: unknown): boolean {
  if (typeof auth !== 'object' || auth === null) return false;
  const { authenticated, event } = auth as Fields;
  return authenticated === true || event !== undefined;
}

/** Members of a list or map at a path; hidden members are masked, and what leads through one is refused. */
export function pageOf(stop: Stop, path: readonly string[], start: number, count: number, secrecy: Secrecy) {
  const [root = ''] = path;
  const isOther = Object.hasOwn(othersOf(stop, secrecy).others ?? {}, root) && !secrecy.hides(root);
  const value = valueAt(stop.scope, path, secrecy, isOther ? root : undefined);
  const show = (item: unknown) => secrecy.show(item, askedLimits) ?? null;
  if (Array.isArray(value)) {
    const entries = value
      .slice(start, start + count)
      .map((item, at) => ({ key: String(start + at), value: show(item) }));
    return { kind: 'list', size: value.length, entries };
  }
  if (kindOf(value) !== 'map') return { kind: 'value', size: 1, entries: [{ key: '', value: show(value) }] };
  const all =
    value instanceof Map ? [...value] : Object.entries(value instanceof Content ? value.shown : (value as Fields));
  const entries = all.slice(start, start + count).map(([name, item]) => {
    const key = String(name);
    return { key, value: secrecy.hides(key) && item !== null ? mask : show(item) };
  });
  return { kind: 'map', size: all.length, entries };
}

/** Changes what a paused thread continues with at a place that `scope` shows, and gives the value as it is shown. */
export function setVariable(
  { frame, forced, secrecy }: Thread,
  scope: object,
  path: readonly string[],
  value: unknown,
): unknown {
  const [root, ...rest] = path;
  const last = rest.at(-1);
  if (last === undefined) throw new PathProblem('the path must name a member, such as ["input", "name"]');
  if (path.includes('__proto__')) throw new PathProblem('"__proto__" is not a member');
  if (!forced.accepts(path)) throw new PathProblem(`a thread takes at most ${mostForced} changed values`);
  const before = rawValueAt(scope, path, secrecy);
  const was = secrecy.hides(last) && before !== undefined ? mask : (secrecy.show(before, askedLimits) ?? null);
  if (rest.length === 1 && root === 'steps') frame.keepStep(last, value);
  else if (rest.length === 1 && root === 'enriched') frame.keepEnriched(last, value);
  else {
    const parent = valueAt(scope, path.slice(0, -1), secrecy);
    if (Array.isArray(parent)) {
      if (!isPosition(last, parent)) throw new PathProblem(`the list has no position ${last}`);
      parent[Number(last)] = value;
    } else if (kindOf(parent) === 'map' && !(parent instanceof Map) && !Object.isFrozen(parent)) {
      (parent as Fields)[last] = value;
    } else throw new PathProblem(`${path.slice(0, -1).join('.')} has no members that can be changed`);
  }
  forced.note(path, was, value, secrecy);
  return secrecy.hides(last) ? mask : (secrecy.show(value, askedLimits) ?? null);
}

/** What paths begin with, and the variable of the flow that each means. */
export const variableRoots: Readonly<Record<string, keyof Frame>> = {
  input: 'input',
  output: 'output',
  enriched: 'enriched',
  steps: 'step',
};

/** `other`: a root that can be read here besides `variableRoots`. */
function valueAt(scope: object, [root = '', ...rest]: readonly string[], secrecy: Secrecy, other?: string): unknown {
  const variable = Object.hasOwn(variableRoots, root) ? variableRoots[root] : other;
  if (variable === undefined) throw new PathProblem(`"${root}" is not one of ${Object.keys(variableRoots).join(', ')}`);
  let value = (scope as Fields)[variable];
  for (const [at, name] of rest.entries()) {
    const where = [root, ...rest.slice(0, at)].join('.');
    if (secrecy.hides(name)) throw new PathProblem(`${where}.${name} is not shown`);
    if (Array.isArray(value)) {
      if (!isPosition(name, value)) throw new PathProblem(`${where} has no position ${name}`);
      value = value[Number(name)];
    } else if (value instanceof Map && value.has(name)) value = value.get(name);
    else if (typeof value === 'object' && value !== null && Object.hasOwn(value, name)) value = (value as Fields)[name];
    else throw new PathProblem(`${where} has no member "${name}"`);
  }
  return value;
}

/** The value at a path, whatever hides it; undefined for nothing. */
function rawValueAt(scope: object, path: readonly string[], secrecy: Secrecy): unknown {
  const last = path.at(-1) as string;
  try {
    const parent = valueAt(scope, path.slice(0, -1), secrecy) as Fields | Map<unknown, unknown> | null;
    if (parent instanceof Map) return parent.get(last);
    return typeof parent === 'object' && parent !== null && Object.hasOwn(parent, last) ? parent[last] : undefined;
  } catch (error) {
    if (error instanceof PathProblem) return undefined;
    throw error;
  }
}

function isPosition(text: string, list: readonly unknown[]): boolean {
  return /^\d{1,9}$/.test(text) && Number(text) < list.length;
}
