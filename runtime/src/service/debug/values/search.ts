import { kindOf, toJson } from '@svc/protocol/cel';
import type { Found } from '@svc/protocol/wire';
import { mask } from '../../../foundation/observe/mask.ts';
import type { Limits } from './limits.ts';
import type { Secrecy } from './snapshot.ts';
import { variableRoots } from './variables.ts';

/** Values that one search looks at, and how deep. */
const mostVisited = 200_000;
const deepest = 64;
/** What is shown of a list or map whose key was found. */
const foundLimits: Limits = { depth: 3, members: 20, total: 60, text: 1_024 };

/**
 * Members of input, output, enriched and steps whose name, or whose value if it is neither list nor map, contains a
 * text; small and capital letters are the same. Hidden values are not looked into.
 */
export function search(scope: object, text: string, most: number, secrecy: Secrecy): Found {
  const wanted = text.toLowerCase();
  const matches: { readonly path: readonly string[]; readonly value: unknown }[] = [];
  let visited = 0;
  const contains = (value: string) => value.toLowerCase().includes(wanted);
  /** False when a limit is reached. */
  const look = (value: unknown, path: readonly string[]): boolean => {
    if (path.length > deepest) return false;
    for (const [name, member] of membersOf(value)) {
      if (member === undefined) continue;
      if (++visited > mostVisited) return false;
      const here = [...path, name];
      const isHidden = member !== null && secrecy.hides(name);
      if ((!Array.isArray(value) && contains(name)) || (!isHidden && contains(secrecy.clean(scalarText(member))))) {
        if (matches.length >= most) return false;
        matches.push({ path: here, value: isHidden ? mask : (secrecy.show(member, foundLimits) ?? null) });
      }
      if (!isHidden && !look(member, here)) return false;
    }
    return true;
  };
  const found = Object.entries(variableRoots).every(([name, variable]) =>
    look((scope as Readonly<Record<string, unknown>>)[variable], [name]),
  );
  return { matches, truncated: !found };
}

/** Names with their values; positions are written as digits, as in every path. */
function* membersOf(value: unknown): Iterable<readonly [string, unknown]> {
  if (Array.isArray(value)) for (let at = 0; at < value.length; at++) yield [String(at), value[at]];
  else if (value instanceof Map) for (const [key, member] of value) yield [String(key), member];
  else if (kindOf(value) === 'map')
    for (const name of Object.keys(value as object)) yield [name, (value as Record<string, unknown>)[name]];
}

/** A scalar as JSON writes it, texts without their quotation marks; empty for lists, maps and bytes. */
function scalarText(value: unknown): string {
  if (typeof value === 'string') return value;
  switch (kindOf(value)) {
    case 'list':
    case 'map':
    case 'bytes':
    case 'unknown':
      return '';
    default:
      return String(toJson(value));
  }
}
