import type { Range } from '../text/index.ts';
import type { CallExpression, Expression } from './ast.ts';
import { type Macro, macroOf } from './macros.ts';
import { type ReferenceOptions, referencesOf } from './references.ts';
import { type Part, partsOf } from './walk.ts';

/** Whether a path of variables has the same value in the other evaluation. */
export type IsSame = (path: readonly string[]) => boolean;

export interface RepetitionOptions extends ReferenceOptions {
  /** Whether the function that is called gives the same for equal arguments. */
  isPure(call: CallExpression): boolean;
}

/** Tells what another evaluation of an expression repeats, where some of what it reads may have changed. */
export class Repetition {
  readonly #whole: Expression;
  readonly #options: RepetitionOptions;

  constructor(whole: Expression, options: RepetitionOptions) {
    this.#whole = whole;
    this.#options = options;
  }

  /** Whether every evaluation gives the same value, or fails in the same way. */
  always(isSame: IsSame): boolean {
    return this.#repeats(this.#whole, isSame, noLocals);
  }

  /** Whether an evaluation that failed at this part of the text fails there again. */
  at(failed: Range, isSame: IsSame): boolean {
    return this.#fails(this.#whole, failed, isSame, noLocals);
  }

  #fails(node: Expression, failed: Range, isSame: IsSame, locals: ReadonlySet<string>): boolean {
    if (this.#repeats(node, isSame, locals)) return true;
    const parts = partsOf(node, this.#options.dialect);
    const at = parts.findIndex((part) => holds(part.node, failed));
    const part = parts[at];
    if (part === undefined) return false;
    // What decides whether the part is evaluated, and whether its error counts, has to be the same.
    const deciding = decidedBy(node, at, this.#options.dialect).map((index) => parts[index] as Part);
    if (!deciding.every((each) => this.#repeats(each.node, isSame, localsIn(each, locals)))) return false;
    return this.#fails(part.node, failed, isSame, localsIn(part, locals));
  }

  #repeats(node: Expression, isSame: IsSame, locals: ReadonlySet<string>): boolean {
    return this.#isPure(node) && referencesOf(node, this.#options, locals).every(({ path }) => isSame(path));
  }

  #isPure(node: Expression): boolean {
    const { dialect, isPure } = this.#options;
    if (node.kind === 'call' && !isMacro(node, dialect) && !isPure(node)) return false;
    return partsOf(node, dialect).every((part) => this.#isPure(part.node));
  }
}

const noLocals: ReadonlySet<string> = new Set();

function localsIn({ declares }: Part, locals: ReadonlySet<string>): ReadonlySet<string> {
  return declares.length === 0 ? locals : new Set([...locals, ...declares.map(({ name }) => name)]);
}

function isMacro(node: CallExpression, dialect: 'product' | 'strict'): boolean {
  const macro = macroOf(node, dialect);
  return macro !== undefined && macro.kind !== 'problem';
}

function holds({ start, end }: Range, inner: Range): boolean {
  return start <= inner.start && inner.end <= end;
}

/** The parts on whose values it depends that the part at this position is evaluated and that its error is the result. */
function decidedBy(node: Expression, at: number, dialect: 'product' | 'strict'): readonly number[] {
  if (node.kind === 'conditional') return at === 0 ? [] : [0];
  if (node.kind === 'binary') {
    // An error on the left does not matter where the right side decides.
    if (node.operator === '&&' || node.operator === '||') return [1 - at];
    return node.operator === '??' && at === 1 ? [0] : [];
  }
  const macro = node.kind === 'call' ? macroOf(node, dialect) : undefined;
  return macro === undefined || macro.kind === 'problem' ? [] : decidedInMacro(macro, at);
}

function decidedInMacro(macro: Macro, at: number): readonly number[] {
  if (at === 0) return [];
  if (macro.kind !== 'comprehension') return [0];
  const before = Array.from({ length: at }, (_, index) => index);
  // Another element may decide.
  return macro.name === 'all' || macro.name === 'exists' ? [...before, at] : before;
}
