import type { SyntaxTree } from '@svc/protocol/syntax';
import { type Diagnostic, LineIndex } from '@svc/protocol/text';
import type { Log } from '../../foundation/observe/log.ts';
import type { UnreachableConnector } from './health/reach.ts';

/** The configuration has errors; nothing was opened. */
export class ConfigurationProblem extends Error {
  override readonly name = 'ConfigurationProblem';
  readonly diagnostics: readonly Diagnostic[];
  readonly files: readonly SyntaxTree[];

  constructor(diagnostics: readonly Diagnostic[], files: readonly SyntaxTree[]) {
    const count = diagnostics.filter(({ severity }) => severity === 'error').length;
    super(`the configuration has ${count} ${count === 1 ? 'error' : 'errors'}`);
    this.diagnostics = diagnostics;
    this.files = files;
  }
}

/** Connectors could not be opened; those that could are closed again. Carries all of them. */
export class UnreachableProblem extends Error {
  override readonly name = 'UnreachableProblem';
  readonly unreachable: readonly UnreachableConnector[];

  constructor(unreachable: readonly UnreachableConnector[]) {
    const names = unreachable.map(({ connector }) => `"${connector}"`).join(', ');
    super(`${unreachable.length === 1 ? 'connector' : 'connectors'} ${names} cannot be used`);
    this.unreachable = unreachable;
  }
}

/** Logs why a configuration could not be put into use, one line for each problem to correct. */
export function logProblem(log: Log, error: unknown): void {
  if (error instanceof ConfigurationProblem) logDiagnostics(log, error.diagnostics, error.files);
  else if (error instanceof UnreachableProblem) {
    for (const { connector, type, reason } of error.unreachable)
      log.error('connector cannot be used', { connector, type, reason });
  }
}

/** Logs diagnostics at the level of their severity; advice at debug. */
export function logDiagnostics(log: Log, diagnostics: readonly Diagnostic[], files: readonly SyntaxTree[]): void {
  const indexes = new Map<string, LineIndex>();
  for (const { code, severity, message, file, range, help } of diagnostics) {
    let index = indexes.get(file);
    if (index === undefined) {
      index = new LineIndex(files.find((tree) => tree.file === file)?.text ?? '');
      indexes.set(file, index);
    }
    const { line, column } = index.position(range.start);
    const fields = { code, at: `${file}:${line}:${column}`, ...(help === undefined ? {} : { help }) };
    if (severity === 'error') log.error(message, fields);
    else if (severity === 'warning') log.warn(message, fields);
    else log.debug(message, fields);
  }
}
