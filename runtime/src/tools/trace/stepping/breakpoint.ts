import { closest } from '@svc/protocol/text';
import type { Breakpoint } from '@svc/protocol/wire';
import type { WatchedStage } from '../../../foundation/contracts/probe.ts';

/** The flow does not have the named place. */
export class PlaceProblem extends Error {
  override readonly name = 'PlaceProblem';
}

/** Shorter names of stages. */
const aliases: Readonly<Record<string, string>> = { validate: 'validate_input' };

/**
 * Reads `STAGE`, `STAGE:NAME`, `STAGE#RULE`, each optionally followed by `if CONDITION`. RULE is the position of a rule
 * from 0, or what it computes. Throws a PlaceProblem for what the flow does not have.
 */
export function readBreakpoint(text: string, flow: string, stages: readonly WatchedStage[]): Breakpoint {
  const found = /^\s*(\w+)(?::([^#]+?))?(?:#(\S+))?(?:\s+if\s+(.+))?\s*$/s.exec(text);
  if (found === null) throw new PlaceProblem(`"${text.trim()}" is not a place; write STAGE, STAGE:NAME or STAGE#RULE`);
  const [, word = '', name, rule, condition] = found;
  const stage = aliases[word] ?? word;
  const places = stages.filter((each) => each.stage === stage);
  if (places.length === 0) {
    const names = [...new Set(stages.map((each) => each.stage))];
    const near = closest(stage, names);
    const hint = near === undefined ? `; it passes ${names.join(', ')}` : `; did you mean ${near}?`;
    throw new PlaceProblem(`flow "${flow}" has no stage "${word}"${hint}`);
  }
  const named = name === undefined ? places : places.filter((each) => each.name === name.trim());
  if (named.length === 0)
    throw new PlaceProblem(
      `no stage "${stage}" of flow "${flow}" is named "${name}"; there is ${places.map((each) => `"${each.name}"`).join(', ')}`,
    );
  return {
    stage,
    ruleIndex: rule === undefined ? -1 : ruleIn(named, rule, stage),
    ...(name === undefined ? {} : { name: name.trim() }),
    ...(condition === undefined ? {} : { condition }),
  };
}

function ruleIn(places: readonly WatchedStage[], written: string, stage: string): number {
  const rules = places.flatMap((place) => place.rules);
  const rule = rules.find(({ index, target }) => String(index) === written || target === written);
  if (rule !== undefined) return rule.index;
  const known = rules.map(({ target }) => target).join(', ');
  throw new PlaceProblem(
    rules.length === 0 ? `stage "${stage}" has no rules` : `stage "${stage}" has no rule "${written}"; it has ${known}`,
  );
}

/** The places of a list; commas in brackets and texts belong to a condition. */
export function splitPlaces(text: string): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  let depth = 0;
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    if (quote !== '') {
      if (character === '\\') at++;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if ('([{'.includes(character)) depth++;
    else if (')]}'.includes(character)) depth--;
    else if (character === ',' && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** A breakpoint as it is written. */
export function breakpointText({ stage, name, ruleIndex, condition }: Breakpoint): string {
  const named = name === undefined ? stage : `${stage}:${name}`;
  const rule = ruleIndex < 0 ? '' : `#${ruleIndex}`;
  return `${named}${rule}${condition === undefined ? '' : ` if ${condition}`}`;
}
