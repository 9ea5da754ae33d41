import { createCelEngine } from '@svc/protocol/cel';
import { LanguageService } from '@svc/protocol/language';
import { languageSupport } from '@svc/runtime/language';
import type { FromWorker, ToWorker } from './language-requests.ts';

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
      setTimeout(() => answer(message));
      return;
    case 'cancel':
      cancelled.add(message.id);
  }
}

function answer({ id, name, args }: Extract<ToWorker, { kind: 'query' }>): void {
  if (cancelled.delete(id)) return;
  try {
    send({ kind: 'answer', id, answer: (service[name] as (...args: readonly unknown[]) => unknown)(...args) });
  } catch (error) {
    send({ kind: 'failure', id, message: error instanceof Error ? error.message : String(error) });
  }
}

addEventListener('message', ({ data }: MessageEvent<ToWorker>) => work(data));
