import type { Command, Operand, Pipeline } from './nodes.ts';
import { TemplateProblem } from './problem.ts';
import type { Token } from './tokens.ts';

/** Groups in groups. */
const deepest = 100;

/** Reads the tokens of one action. */
export class TokenReader {
  readonly #tokens: readonly Token[];
  readonly line: number;
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], line: number) {
    this.#tokens = tokens;
    this.line = line;
  }

  get next(): Token | undefined {
    return this.#tokens[this.#at];
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#tokens.length;
  }

  take(): Token | undefined {
    return this.#tokens[this.#at++];
  }

  /** The word that comes, where it is one. */
  takeWord(): string | undefined {
    const { next } = this;
    if (next?.kind !== 'word') return undefined;
    this.#at++;
    return next.name;
  }

  /** Everything that is left is one pipeline. `most` is how many variables it may declare. */
  pipeline(most = 1): Pipeline {
    const read = this.#pipeline(most);
    if (!this.isAtEnd) throw this.#unexpected();
    return read;
  }

  end(what: string): void {
    if (!this.isAtEnd) throw new TemplateProblem(`${what} takes nothing more`, this.line);
  }

  #pipeline(most: number): Pipeline {
    const { line } = this;
    const declared = this.#declaration(most);
    const commands: Command[] = [this.#command()];
    while (this.next?.kind === '|') {
      this.#at++;
      commands.push(this.#command());
    }
    commands.slice(1).forEach(({ operands: [called] }) => {
      if (called?.kind !== 'function') throw new TemplateProblem('a function must follow |', line);
    });
    return { ...declared, commands, line };
  }

  #declaration(most: number): Pick<Pipeline, 'names' | 'assigns'> {
    const none = { names: [], assigns: false };
    const begin = this.#at;
    const names: string[] = [];
    while (this.next?.kind === 'variable') {
      names.push(this.next.name);
      this.#at++;
      if (this.#kind() !== ',') break;
      this.#at++;
    }
    const sign = this.#kind();
    if (names.length === 0 || (sign !== ':=' && sign !== '=')) {
      this.#at = begin;
      return none;
    }
    if (names.length > most) throw new TemplateProblem(`at most ${most} variables are declared here`, this.line);
    if (names.includes('$'))
      throw new TemplateProblem('$ is what the template was given, and cannot be set', this.line);
    this.#at++;
    return { names, assigns: sign === '=' };
  }

  #command(): Command {
    const operands: Operand[] = [];
    for (;;) {
      const operand = this.#operand();
      if (operand === undefined) break;
      operands.push(operand);
      if (this.next !== undefined && !this.next.apart && ![')', '|'].includes(this.next.kind)) throw this.#unexpected();
    }
    if (operands.length === 0) throw new TemplateProblem('a value is missing', this.line);
    const [first] = operands;
    if (operands.length > 1 && first?.kind !== 'function')
      throw new TemplateProblem('only functions take arguments: the first word is not a function', this.line);
    return { operands };
  }

  #operand(): Operand | undefined {
    const token = this.next;
    switch (token?.kind) {
      case '.':
        this.#at++;
        return { kind: 'dot', path: this.#path() };
      case 'field':
        this.#at++;
        return { kind: 'dot', path: [token.name, ...this.#path()] };
      case 'variable':
        this.#at++;
        return { kind: 'variable', name: token.name, path: this.#path() };
      case 'constant':
        this.#at++;
        return { kind: 'constant', value: token.value };
      case 'word':
        this.#at++;
        return { kind: 'function', name: token.name };
      case '(': {
        if (++this.#depth > deepest) throw new TemplateProblem(`more than ${deepest} ( inside each other`, this.line);
        this.#at++;
        const pipeline = this.#pipeline(0);
        if (this.take()?.kind !== ')') throw new TemplateProblem('a ) is missing', this.line);
        this.#depth--;
        return { kind: 'group', pipeline, path: this.#path() };
      }
      default:
        return undefined;
    }
  }

  #kind(): Token['kind'] | undefined {
    return this.next?.kind;
  }

  /** Fields that follow without a blank. */
  #path(): string[] {
    const path: string[] = [];
    while (this.next?.kind === 'field' && !this.next.apart) {
      path.push(this.next.name);
      this.#at++;
    }
    return path;
  }

  #unexpected(): TemplateProblem {
    const { next } = this;
    const shown =
      next === undefined ? '' : 'name' in next ? next.name : 'value' in next ? String(next.value) : next.kind;
    return new TemplateProblem(`"${shown}" is not expected here`, next?.line ?? this.line);
  }
}
