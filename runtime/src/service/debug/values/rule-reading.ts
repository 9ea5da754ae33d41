import { createExpressionEngine } from '../../../engine/plan/engine.ts';
import type { WatchedRule } from '../../../foundation/contracts/probe.ts';
import { namesCredential } from '../../../foundation/observe/mask.ts';

/** What the text of a rule says that it reads. */
export interface RuleReading {
  /** It names something that is hidden, or reads a credential from the environment. */
  readonly namesHidden: boolean;
  /** It reads environment variables, whatever their names. */
  readonly readsEnvironment: boolean;
  /** The paths that it reads, each up to its first computed index. */
  readonly paths: readonly (readonly string[])[];
}

const known = new WeakMap<WatchedRule, RuleReading>();

/** What a rule reads. `hides` must be the same for every call. */
export function readingOfRule(rule: WatchedRule, hides: (name: string) => boolean): RuleReading {
  let reading = known.get(rule);
  if (reading === undefined) known.set(rule, (reading = readingOf(rule, hides)));
  return reading;
}

function readingOf({ target, expression, isStatement }: WatchedRule, hides: (name: string) => boolean): RuleReading {
  const words = expression.match(/[\w-]+/g) ?? [];
  // A header may be named by a text, a variable by a computed one; what cannot be distinguished is hidden.
  const environment = [...expression.matchAll(/\benv\(\s*(?:\\?["']([^"'\\]*)\\?["']\s*[,)])?/g)];
  return {
    namesHidden:
      hides(target.slice(target.lastIndexOf('.') + 1)) ||
      words.some(hides) ||
      environment.some(([, name]) => name === undefined || namesCredential(name)),
    readsEnvironment: environment.length > 0,
    paths: isStatement ? [] : pathsOf(expression),
  };
}

/** A template reads what its holes read. */
function pathsOf(expression: string): readonly (readonly string[])[] {
  // An engine remembers what it compiled: one for each rule is forgotten with it. Nothing is evaluated.
  const engine = createExpressionEngine(() => undefined);
  const whole = engine.compile(expression, { check: false });
  if (whole.ok) return whole.program.references.map(({ path }) => path);
  const holes = [...expression.matchAll(/\$\{([^}]*)\}/g)].map(([, hole]) => hole as string);
  return holes.flatMap((hole) => {
    const compiled = engine.compile(hole, { check: false });
    return compiled.ok ? compiled.program.references.map(({ path }) => path) : [];
  });
}
