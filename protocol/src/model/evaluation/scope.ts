import type { Range } from '../../text/index.ts';
import type { ConfigurationHost } from '../host.ts';

/** What an expression of the configuration language may read. */
export interface EvaluationScope {
  readonly host: ConfigurationHost;
  /** Values of variables; normally `constants` alone. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** Called for every `env("NAME")` without default whose variable is unset or empty. */
  readonly onUnset?: ((name: string, range: Range) => void) | undefined;
}

/** The expression cannot be evaluated; the message is meant for its author. */
export class EvaluationError extends Error {
  readonly range: Range;
  readonly help: string | undefined;
  /** Code of the diagnostic: `wrong-kind` when the expression could be evaluated but is not what is needed. */
  readonly code: 'cannot-evaluate' | 'wrong-kind';

  constructor(message: string, range: Range, help?: string, code: EvaluationError['code'] = 'cannot-evaluate') {
    super(message);
    this.range = range;
    this.help = help;
    this.code = code;
  }
}
