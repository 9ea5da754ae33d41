import { printed } from '../functions/printing.ts';
import { isMap, isTrue, kindOf, known } from '../functions/values.ts';
import { escapingAt } from '../html/escaping.ts';
import { betweenTags, isSamePlace, type Place, placeBehind } from '../html/place.ts';
import type { Program, Run, Signal } from '../run.ts';
import type { Choice, Node, ParsedTemplate, Pipeline } from '../syntax/nodes.ts';
import { TemplateProblem } from '../syntax/problem.ts';
import { compilePipeline, type Evaluate, type ExpressionContext, executionFailure } from './expression.ts';
import { Scope } from './scope.ts';
import { sequence } from './sequence.ts';

/** What is allowed in templates, and what becomes of values. */
export interface Dialect {
  /** `html`: values are escaped by their place. `none`: they are printed as they are. */
  readonly escaping: 'html' | 'none';
  readonly pipes: boolean;
}

/** A template that is called at a place, and the place of what follows. */
interface Called {
  program: Program | undefined;
  end: Place;
  isUsed: boolean;
}

/** Compiles a template. Throws a TemplateProblem. */
export function compileTemplateText(name: string, parsed: ParsedTemplate, dialect: Dialect): Program {
  return new Compiler(name, parsed, dialect).whole();
}

class Compiler {
  readonly #name: string;
  readonly #parsed: ParsedTemplate;
  readonly #dialect: Dialect;
  /** By name and place: what is escaped how depends on where a template is called. */
  readonly #called = new Map<string, Called>();

  constructor(name: string, parsed: ParsedTemplate, dialect: Dialect) {
    this.#name = name;
    this.#parsed = parsed;
    this.#dialect = dialect;
  }

  whole(): Program {
    const context = this.#context();
    const { program, end } = this.#nodes(this.#parsed.body, betweenTags, context, undefined);
    if (!['text', 'declaration'].includes(end.state))
      throw new TemplateProblem('the template ends inside of a tag, a comment or an element', 1);
    return program;
  }

  #context(): ExpressionContext {
    return { scope: new Scope(), pipes: this.#dialect.pipes, name: this.#name };
  }

  #nodes(nodes: readonly Node[], begin: Place, context: ExpressionContext, loop: Place | undefined) {
    let place = begin;
    const programs = context.scope.within(() =>
      nodes.map((node) => {
        const compiled = this.#node(node, place, context, loop);
        place = compiled.end;
        return compiled.program;
      }),
    );
    return { program: sequence(programs), end: place };
  }

  #node(
    node: Node,
    place: Place,
    context: ExpressionContext,
    loop: Place | undefined,
  ): { readonly program: Program; readonly end: Place } {
    switch (node.kind) {
      case 'text': {
        const { text } = node;
        const end = this.#dialect.escaping === 'html' ? placeBehind(place, text) : place;
        return { program: whole((run) => run.print(text)), end };
      }
      case 'print':
        return this.#print(node.pipeline, place, context);
      case 'if':
      case 'with':
        return this.#choice(node, place, context, loop);
      case 'range':
        return this.#range(node, place, context, loop);
      case 'template':
        return this.#call(node, place, context);
      default: {
        const { kind, line } = node;
        if (loop !== undefined && !isSamePlace(loop, place))
          throw new TemplateProblem(`{{${kind}}} leaves the loop inside of a tag that it did not begin in`, line);
        return { program: { kind: 'whole', run: () => kind }, end: place };
      }
    }
  }

  #print(pipeline: Pipeline, place: Place, context: ExpressionContext) {
    const { line, names } = pipeline;
    const value = compilePipeline(pipeline, context);
    if (names.length > 0) {
      const store = this.#store(pipeline, context);
      return { program: whole((run) => store(run, value(run))), end: place };
    }
    if (this.#dialect.escaping === 'none')
      return { program: whole((run) => run.print(printed(value(run)))), end: place };
    const escaping = escapingAt(place);
    if (typeof escaping === 'string') throw new TemplateProblem(escaping, line);
    const [escaped, end] = escaping;
    const program = whole((run) => {
      const given = value(run);
      let text: string;
      try {
        text = escaped(given);
      } catch (error) {
        throw executionFailure(this.#name, line, (error as Error).message);
      }
      run.print(text);
    });
    return { program, end };
  }

  /** Declares or finds the one variable of a pipeline. */
  #store({ names: [name], assigns, line }: Pipeline, { scope }: ExpressionContext): (run: Run, value: unknown) => void {
    if (name === undefined) return () => undefined;
    const place = assigns ? scope.placeOf(name, line) : scope.declare(name);
    return (run, value) => {
      run.variables[place] = value;
    };
  }

  #choice(
    node: Choice & { readonly kind: 'if' | 'with' },
    place: Place,
    context: ExpressionContext,
    loop: Place | undefined,
  ) {
    const { kind, pipeline } = node;
    const value = compilePipeline(pipeline, context);
    return context.scope.within(() => {
      const store = this.#store(pipeline, context);
      const body = this.#nodes(node.body, place, context, loop);
      const otherwise = this.#nodes(node.otherwise, place, context, loop);
      this.#checkSame(kind, node.line, body.end, otherwise.end);
      const chosen = (run: Run): Program => {
        const given = value(run);
        store(run, given);
        if (!isTrue(given)) return otherwise.program;
        if (kind === 'with') run.dot = given;
        return body.program;
      };
      return { program: choice([body.program, otherwise.program], chosen), end: body.end };
    });
  }

  #range(node: Choice, place: Place, context: ExpressionContext, loop: Place | undefined) {
    const { pipeline, line } = node;
    const value = compilePipeline(pipeline, context);
    return context.scope.within(() => {
      const { names, assigns } = pipeline;
      const slots = names.map((name) => (assigns ? context.scope.placeOf(name, line) : context.scope.declare(name)));
      const body = this.#nodes(node.body, place, context, place);
      const otherwise = this.#nodes(node.otherwise, place, context, loop);
      this.#checkSame('range', line, body.end, place);
      this.#checkSame('range', line, otherwise.end, place);
      const [keySlot, itemSlot] = slots.length === 2 ? slots : [undefined, slots[0]];
      const template = this.#name;
      const run = function* (run: Run): Generator<void, Signal> {
        const { dot } = run;
        let isEmpty = true;
        for (const [key, item] of entriesOf(value(run), template, line)) {
          isEmpty = false;
          if (run.isTurnOver) yield;
          run.dot = item;
          if (itemSlot !== undefined) run.variables[itemSlot] = item;
          if (keySlot !== undefined) run.variables[keySlot] = key;
          const signal = body.program.kind === 'whole' ? body.program.run(run) : yield* body.program.run(run);
          if (signal === 'break') break;
        }
        run.dot = dot;
        if (!isEmpty) return undefined;
        return otherwise.program.kind === 'whole' ? otherwise.program.run(run) : yield* otherwise.program.run(run);
      };
      return { program: { kind: 'steps', run } as const, end: place };
    });
  }

  /** A template that calls itself is taken to end where it begins, which is checked when it is known. */
  #call(node: Extract<Node, { readonly kind: 'template' }>, place: Place, context: ExpressionContext) {
    const { name, argument, line } = node;
    const body = this.#parsed.defined.get(name);
    if (body === undefined) throw new TemplateProblem(`the template "${name}" is not defined`, line);
    const value: Evaluate = argument === undefined ? () => null : compilePipeline(argument, context);
    const key = JSON.stringify([name, place]);
    let called = this.#called.get(key);
    if (called === undefined) {
      called = { program: undefined, end: place, isUsed: false };
      this.#called.set(key, called);
      const { program, end } = this.#nodes(body, place, this.#context(), undefined);
      if (called.isUsed && !isSamePlace(end, place))
        throw new TemplateProblem(`the template "${name}" calls itself inside of a tag that it did not begin in`, line);
      called.program = program;
      called.end = end;
    } else called.isUsed = true;
    const entry = called;
    const run = function* (run: Run): Generator<void, Signal> {
      const { dot, variables } = run;
      run.enter();
      if (run.isTurnOver) yield;
      run.dot = value(run);
      run.variables = [run.dot];
      const program = entry.program as Program;
      if (program.kind === 'whole') program.run(run);
      else yield* program.run(run);
      run.dot = dot;
      run.variables = variables;
      run.leave();
      return undefined;
    };
    return { program: { kind: 'steps', run } as const, end: entry.end };
  }

  #checkSame(kind: string, line: number, a: Place, b: Place): void {
    if (!isSamePlace(a, b))
      throw new TemplateProblem(
        `the branches of {{${kind}}} end at different places of a tag, so that what follows has two meanings`,
        line,
      );
  }
}

function whole(work: (run: Run) => void): Program {
  return {
    kind: 'whole',
    run: (run) => {
      work(run);
      return undefined;
    },
  };
}

/** Runs one of two, and puts the dot back behind it. */
function choice(programs: readonly Program[], chosen: (run: Run) => Program): Program {
  if (programs.every(({ kind }) => kind === 'whole'))
    return {
      kind: 'whole',
      run: (run) => {
        const { dot } = run;
        const signal = (chosen(run) as Extract<Program, { readonly kind: 'whole' }>).run(run);
        run.dot = dot;
        return signal;
      },
    };
  return {
    kind: 'steps',
    run: function* (run) {
      const { dot } = run;
      const program = chosen(run);
      const signal = program.kind === 'whole' ? program.run(run) : yield* program.run(run);
      run.dot = dot;
      return signal;
    },
  };
}

/** What a loop goes over: a list, a map by sorted keys, the numbers below one. */
function* entriesOf(value: unknown, template: string, line: number): Generator<readonly [unknown, unknown]> {
  if (value === null) return;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) yield [at, known(value[at])];
  } else if (typeof value === 'bigint' || Number.isInteger(value)) {
    for (let at = 0; at < (value as number); at++) yield [at, at];
  } else if (isMap(value)) {
    for (const key of Object.keys(value).sort()) yield [key, known(value[key])];
  } else throw executionFailure(template, line, `range cannot go over ${kindOf(value)}`);
}
