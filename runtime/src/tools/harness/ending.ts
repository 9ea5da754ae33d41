import type { ConnectorDeclaration } from '@svc/protocol/model';
import type { CelSource } from '@svc/protocol/schema';
import type { Expression } from '../../engine/flow/compile/expression.ts';
import type { Outcome } from '../../foundation/contracts/outcome.ts';
import type { Failure } from '../../foundation/errors/failure.ts';
import type { RecordedCall } from './recorder.ts';
import type { FlowWatch } from './watch.ts';

/** What the comparison reads besides how the flow ended. */
export interface Bench {
  readonly watch: FlowWatch;
  readonly connectors: ReadonlyMap<string, ConnectorDeclaration>;
  readonly expression: (source: CelSource) => Expression;
  /** `input`, `auth`, `constants` as expectations read them. */
  readonly scope: object;
}

/** How a flow ended for one message. */
export interface Ending {
  readonly flow: string;
  /** Undefined when it failed without an answer. */
  readonly outcome: Outcome | undefined;
  /** Why it failed, also when `error_response` made an answer of it. */
  readonly failure: Failure | undefined;
  /** Whether a caller waits for an answer. */
  readonly answers: boolean;
  readonly calls: readonly RecordedCall[];
}
