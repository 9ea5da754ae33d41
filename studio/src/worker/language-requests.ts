import type { LanguageService } from '@svc/protocol/language';
import type { Diagnostic, TextEdit } from '@svc/protocol/text';
import type { KnownTarget } from '@svc/protocol/wire';

import type { Evaluated, Scope } from './expressions.ts';
import type { KeptRun, RunSummary } from './runs.ts';

type Cancellable = Parameters<LanguageService['diagnostics']>[0];
type Plain<A extends readonly unknown[]> = A extends readonly [...infer Rest, (Cancellable | undefined)?]
  ? Rest
  : A extends readonly [...infer Rest, Cancellable]
    ? Rest
    : A;

/** Questions of the language service that the window may ask; arguments and answers cross as structured clones. */
export type QueryName = Exclude<
  {
    [K in keyof LanguageService]: LanguageService[K] extends (...args: never[]) => unknown ? K : never;
  }[keyof LanguageService],
  'provide' | 'open' | 'change' | 'close' | 'refresh' | 'know' | 'diagnostics' | 'lines'
>;

export type QueryArguments<Q extends QueryName> = Plain<Parameters<LanguageService[Q]>>;
export type QueryAnswer<Q extends QueryName> = ReturnType<LanguageService[Q]>;

/** Questions about values: what expressions give, and the runs that are kept. */
export interface ValueQuestions {
  readonly evaluate: (source: string, scope: Scope) => Evaluated;
  readonly runs: (condition: string) => readonly RunSummary[];
  readonly run: (id: string) => KeptRun | undefined;
  readonly lastRun: (flow: string) => KeptRun | undefined;
}

/** What the window tells the worker. Messages are worked on in order; a cancelled query that has not begun is left out. */
export type ToWorker =
  | { readonly kind: 'environment'; readonly values: Readonly<Record<string, string>> }
  | {
      readonly kind: 'provide';
      readonly files: readonly { readonly path: string; readonly text: string | undefined }[];
    }
  | { readonly kind: 'open'; readonly path: string; readonly text: string }
  | { readonly kind: 'change'; readonly path: string; readonly edits: readonly TextEdit[] }
  | { readonly kind: 'close'; readonly path: string }
  | { readonly kind: 'know'; readonly connector: string; readonly targets: readonly KnownTarget[] }
  | { readonly kind: 'query'; readonly id: number; readonly name: QueryName; readonly args: readonly unknown[] }
  | {
      readonly kind: 'values';
      readonly id: number;
      readonly name: keyof ValueQuestions;
      readonly args: readonly unknown[];
    }
  | { readonly kind: 'keep'; readonly runs: readonly KeptRun[] }
  | { readonly kind: 'forgetRuns' }
  | { readonly kind: 'cancel'; readonly id: number };

/** A problem with the line and column of its beginning, both from 1: texts of files that are not open stay in the worker. */
export interface PlacedDiagnostic extends Diagnostic {
  readonly line: number;
  readonly column: number;
}

export type FromWorker =
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly message: string }
  /** Everything that is wrong now. `revision` counts the changes that were worked in; `milliseconds` is what it took. */
  | {
      readonly kind: 'diagnostics';
      readonly revision: number;
      readonly diagnostics: readonly PlacedDiagnostic[];
      readonly files: number;
      readonly milliseconds: number;
    };
