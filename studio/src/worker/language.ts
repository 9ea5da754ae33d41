import { createCelEngine } from '@svc/protocol/cel';
import { LanguageService } from '@svc/protocol/language';
import { languageSupport } from '@svc/runtime/language';
import { Expressions } from './expressions.ts';
import type { FromWorker, ToWorker, ValueQuestions } from './language-requests.ts';
import { Runs } from './runs.ts';

// Runs the language service apart from the window, so that typing never waits for it.

let values: Readonly<Record<string, string>> = {};
const env = (name: string) => values[name];

const service = new LanguageService(
  languageSupport(
    {
      env,
      // Files that a configuration names are checked by the host, which may read them; here they count as present.
      readFile: () => '',
      absolutePath: (path) => path,
    },
    // Checks evaluate nothing that asks for the time, chance or a digest.
    createCelEngine({ environment: { now: () => 0, uuid: () => '', env, sha256: () => '' } }),
  ),
);

const expressions = new Expressions();
const runs = new Runs(expressions);
const questions: ValueQuestions = {
  evaluate: (source, scope) => expressions.evaluate(source, scope),
  runs: (condition) => runs.list(condition),
  run: (id) => runs.find(id),
  lastRun: (flow) => runs.last(flow),
};

const send = (message: FromWorker) => postMessage(message);
const cancelled = new Set<number>();
let revision = 0;
let isScheduled = false;

/** Diagnostics come after everything that waits already, so that a burst of keys is checked once. */
function scheduleDiagnostics(): void {
  revision++;
  if (isScheduled) return;
  isScheduled = true;
  setTimeout(() => {
    isScheduled = false;
    const began = performance.now();
    const diagnostics = service.diagnostics().map((diagnostic) => {
      const { line, column } = service.lines(diagnostic.file).position(diagnostic.range.start);
      return { ...diagnostic, line, column };
    });
    const milliseconds = performance.now() - began;
    send({ kind: 'diagnostics', revision, diagnostics, files: service.paths.length, milliseconds });
  });
}

function work(message: ToWorker): void {
  switch (message.kind) {
    case 'environment':
      ({ values } = message);
      service.refresh();
      return scheduleDiagnostics();
    case 'provide':
      for (const { path, text } of message.files) service.provide(path, text);
      return scheduleDiagnostics();
    case 'open':
      service.open(message.path, message.text);
      return scheduleDiagnostics();
    case 'change':
      service.change(message.path, message.edits);
      return scheduleDiagnostics();
    case 'close':
      service.close(message.path);
      return scheduleDiagnostics();
    case 'know':
      service.know(message.connector, message.targets);
      return;
    case 'query':
      // A message that cancels it may be behind it in the queue: it is worked on in a later turn.
      setTimeout(() => query(message));
      return;
    case 'values':
      return answer(message.id, () =>
        (questions[message.name] as (...args: readonly unknown[]) => unknown)(...message.args),
      );
    case 'keep':
      return runs.keep(message.runs);
    case 'forgetRuns':
      return runs.forget();
    case 'cancel':
      cancelled.add(message.id);
  }
}

function query({ id, name, args }: Extract<ToWorker, { kind: 'query' }>): void {
  if (cancelled.delete(id)) return;
  answer(id, () => (service[name] as (...args: readonly unknown[]) => unknown)(...args));
}

function answer(id: number, work: () => unknown): void {
  try {
    send({ kind: 'answer', id, answer: work() });
  } catch (error) {
    send({ kind: 'failure', id, message: error instanceof Error ? error.message : String(error) });
  }
}

addEventListener('message', ({ data }: MessageEvent<ToWorker>) => work(data));
