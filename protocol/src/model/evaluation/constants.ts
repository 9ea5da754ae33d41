import { Fields } from '../../cel/index.ts';
import { reportUnset } from '../decode.ts';
import type { ConfigurationHost } from '../host.ts';
import { isAttribute, itemsOf, place, type SourcedAttribute, type SourcedBlock } from '../items.ts';
import type { Report } from '../report.ts';
import { evaluate, isObject } from './evaluate.ts';
import { EvaluationError } from './scope.ts';

/** The union of all `constants` blocks, as files see them and as expressions see them. */
export interface Constants {
  readonly forFiles: Readonly<Record<string, unknown>>;
  /** Whole numbers are bigint, which is `int` there (docs/specification/language.md#expressions). */
  readonly forExpressions: Readonly<Record<string, unknown>>;
}

/** Evaluates constants; they see functions but not each other. A key written twice names both places. */
export function collectConstants(blocks: readonly SourcedBlock[], host: ConfigurationHost, report: Report): Constants {
  const first = new Map<string, SourcedAttribute>();
  const forFiles = Object.create(null) as Record<string, unknown>;
  for (const sourced of blocks.flatMap(itemsOf)) {
    if (!isAttribute(sourced)) {
      report('unknown-block', 'constants holds attributes only', place(sourced, sourced.item), {
        help: 'Write an object: name = { … }.',
      });
      continue;
    }
    const { name, value } = sourced.item;
    const earlier = first.get(name.text);
    if (earlier) {
      report('duplicate-name', `the constant ${name.text} is declared twice`, place(sourced, name), {
        help: 'Give one of them another name.',
        related: [{ message: 'the first one is here', ...place(earlier, earlier.item.name) }],
      });
      continue;
    }
    first.set(name.text, sourced);
    if (!value) continue;
    try {
      forFiles[name.text] = evaluate(value, {
        host,
        variables: {},
        onUnset: (variable, range) => reportUnset(`${name.text} of constants`, variable, place(sourced, range), report),
      });
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      report(error.code, error.message, place(sourced, error.range), { help: error.help });
    }
  }
  return { forFiles, forExpressions: withIntegers(forFiles) as Readonly<Record<string, unknown>> };
}

function withIntegers(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(withIntegers);
  if (!isObject(value)) return value;
  const result = new Fields();
  for (const [key, item] of Object.entries(value)) result[key] = withIntegers(item);
  return result;
}
