import type { CelEngine, CelProblem, CelProgram, CelType, FunctionImplementation } from '@svc/protocol/cel';
import type { Project } from '@svc/protocol/model';
import type { CelSource } from '@svc/protocol/schema';
import type { Diagnostic, Range } from '@svc/protocol/text';
import type { FlowDeclaration } from '../flow/declarations.ts';
import { type FoundSource, findSources } from '../flow/sources-in.ts';
import { flow } from '../flow/spec.ts';
import { declaredFunctions } from '../plugins/functions.ts';
import { Expressions } from './expressions.ts';
import { type InputType, InputTypes, sourcesBehindChecks } from './input-type.ts';
import { KnownFields, knownVariables } from './known-fields.ts';

/**
 * What is wrong with the expressions of a project, as warnings but where the service cannot start with it
 * (docs/specification/validation.md#expressions): those that do not compile, and gates that no message can pass. In the order of files and places; each place once,
 * whatever uses it.
 */
export function expressionDiagnostics(project: Project, engine: CelEngine): readonly Diagnostic[] {
  return expressionCheck(engine)(project);
}

/**
 * The same as a check that may be repeated: what is known of decoded blocks is cached as long as they are, so
 * that a project of which little changed costs little.
 */
export function expressionCheck(engine: CelEngine): (project: Project) => readonly Diagnostic[] {
  let functions: readonly FunctionImplementation[] = [];
  let expressions = new Expressions(engine);
  let known = new WeakMap<object, readonly Judged[]>();
  const judge = (values: object): readonly Judged[] => {
    const before = known.get(values);
    if (before !== undefined) return before;
    const judged = findSources(values).map((each) => ({
      place: placeOf(each.source),
      diagnostics: diagnosticsOf(each, expressions),
      reads: fieldsRead(each, expressions),
    }));
    known.set(values, judged);
    return judged;
  };
  let typed = new WeakMap<object, Typed>();
  /** What is known of expressions holds as long as the functions are the same that they may call. */
  const use = (declared: readonly FunctionImplementation[]) => {
    if (declared.length === functions.length && declared.every((each, at) => each === functions[at])) return;
    functions = declared;
    expressions = new Expressions(engine, functions);
    known = new WeakMap();
    typed = new WeakMap();
  };
  const judgeTyped = (declaration: FlowDeclaration, input: InputType): readonly Diagnostic[] => {
    const before = typed.get(declaration.values);
    if (before?.key === input.key) return before.diagnostics;
    const diagnostics = sourcesBehindChecks(declaration).flatMap((each) => mistyped(each, input.type, expressions));
    typed.set(declaration.values, { key: input.key, diagnostics });
    return diagnostics;
  };
  return (project) => {
    use(declaredFunctions(project));
    const seen = new Set<string>();
    const found: Diagnostic[] = [];
    const knownFields = new KnownFields(project);
    const inputs = new InputTypes(project);
    const flows = new Set<object>();
    for (const declaration of project.all('flow', flow)) {
      flows.add(declaration.values);
      const input = inputs.of(declaration.values);
      if (input) found.push(...judgeTyped(declaration, input));
    }
    for (const values of bodiesOf(project))
      for (const { place, diagnostics, reads } of judge(values)) {
        if (seen.has(place)) continue;
        seen.add(place);
        found.push(...diagnostics);
        for (const { variable, field, file, range } of reads) {
          const problem = knownFields.unknown(
            variable,
            field,
            flows.has(values) ? (values as FlowDeclaration['values']) : undefined,
          );
          if (problem)
            found.push({ code: 'unknown-field', severity: 'warning', family: 'expression', file, range, ...problem });
        }
      }
    return found.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.range.start - b.range.start));
  };
}

/** What is wrong with one expression. */
interface Judged {
  readonly place: string;
  readonly diagnostics: readonly Diagnostic[];
  readonly reads: readonly FieldRead[];
}

/** What is wrong in a flow with a message of one type. */
interface Typed {
  readonly key: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** What is wrong with an expression for messages of a type alone. */
function mistyped({ source, variables }: FoundSource, input: CelType, expressions: Expressions): readonly Diagnostic[] {
  if (!expressions.check(source, variables).ok) return [];
  const compiled = expressions.checkTyped(source, variables, input);
  return compiled.ok ? [] : compiled.problems.map((problem) => diagnosticOf(problem, source));
}

/** The first field that an expression reads from a variable. */
interface FieldRead {
  readonly variable: string;
  readonly field: string;
  readonly file: string;
  readonly range: Range;
}

function fieldsRead({ source, variables }: FoundSource, expressions: Expressions): readonly FieldRead[] {
  if (source.constant !== undefined) return [];
  const compiled = expressions.check(source, variables);
  if (!compiled.ok) return [];
  return compiled.program.references.flatMap(({ path: [variable, field], start, end }) => {
    if (variable === undefined || field === undefined || !knownVariables.has(variable)) return [];
    const at = source.source.indexOf(field, start + variable.length);
    const range = at < 0 || at >= end ? { start, end } : { start: at, end: at + field.length };
    return [{ variable, field, file: source.origin.file, range: inFile(source, range) }];
  });
}

/** Gates of the project that refuse every message, in the order of files and places. */
export function deadGates(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.filter(({ code }) => code === 'gate-never-passes');
}

function bodiesOf(project: Project): readonly object[] {
  const { blocks } = project.vocabulary;
  const bodies = Object.entries(blocks).flatMap(([word, spec]) =>
    spec.label ? project.all(word, spec).map(({ values }) => values) : [project.one(word, spec)],
  );
  const connectors = [...project.connectors.values()].flatMap((connector) => [
    connector.values,
    ...[...connector.operations.values()].map(({ values }) => values),
    ...[...connector.profiles.values()].map(({ values }) => values),
  ]);
  return [...bodies, ...connectors].filter((values) => values !== undefined);
}

function placeOf({ origin: { file, range }, reads }: CelSource): string {
  return `${file}:${range.start}:${reads.join(' ')}`;
}

function diagnosticsOf({ source, variables }: FoundSource, expressions: Expressions): readonly Diagnostic[] {
  if (source.constant !== undefined) {
    const { value } = source.constant;
    return isGate(source) && value !== true ? [dead(source, 'it is never true')] : [];
  }
  const compiled = expressions.check(source, variables);
  if (!compiled.ok) {
    const problems = compiled.problems.map((problem) => problemOf(problem, source));
    return source.decides ? [dead(source, 'its expression is not valid'), ...problems] : problems;
  }
  const warnings = compiled.warnings.map((problem) => diagnosticOf(problem, source));
  return isGate(source) && refusesAll(compiled.program) ? [dead(source, 'it is never true'), ...warnings] : warnings;
}

function isGate({ decides, gives }: CelSource): boolean {
  return decides === true && gives === 'bool';
}

/** Checked for gates alone, since it evaluates what no variable changes. */
function refusesAll({ constant }: CelProgram): boolean {
  return constant !== undefined && constant.value !== true;
}

/** Why an expression is not valid. */
function problemOf(problem: CelProblem, source: CelSource): Diagnostic {
  const found = diagnosticOf(problem, source);
  if (problem.misplaced)
    return {
      ...found,
      severity: 'error',
      help: 'Call it in a step, an enrichment or the transform, and read its result here.',
    };
  return source.mustCompile === true ? { ...found, severity: 'error' } : found;
}

function diagnosticOf({ message, range, suggestion }: CelProblem, source: CelSource): Diagnostic {
  return {
    code: 'invalid-expression',
    severity: 'warning',
    family: 'expression',
    message,
    file: source.origin.file,
    range: inFile(source, range),
    help: suggestion === undefined ? undefined : `Did you mean "${suggestion}"?`,
  };
}

/** Escapes shift what follows them, so only texts without any can be pointed into. */
function inFile({ origin, escaped }: CelSource, { start, end }: Range): Range {
  const { range } = origin;
  if (escaped) return { start: range.start, end: range.end };
  return { start: Math.min(range.start + start, range.end), end: Math.min(range.start + end, range.end) };
}

function dead({ origin: { file, range } }: CelSource, why: string): Diagnostic {
  return {
    code: 'gate-never-passes',
    severity: 'warning',
    family: 'expression',
    message: `no message meets this condition: ${why}`,
    file,
    range: { start: range.start, end: range.end },
    help: 'Correct the expression; until then nothing behind it is done.',
  };
}
