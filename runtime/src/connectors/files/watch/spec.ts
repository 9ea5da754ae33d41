import { block, duration, flag, int, type SourceSpec, text } from '@svc/protocol/schema';
import { globProblem } from '../glob.ts';
import type { Naming } from '../naming.ts';

/** Names joined by `/`, none of which is `.` or `..`. */
const below = {
  source: '^(?!\\.{1,2}(?:/|$))[^/\\\\\\0]+(?:/(?!\\.{1,2}(?:/|$))[^/\\\\\\0]+)*/?$',
  says: 'must be a folder below that of the connector, such as done',
} as const;

/** `watch` of a store that is asked for its files again and again. */
export const watchBlock = block({
  doc: 'Takes files as messages: a file that has not changed for a whole `watch_interval`, so that none is read half-written. With `done` and `failed` every file that is there is a message, until it was handled: it is moved, and one whose flow failed is tried again, after a pause that grows from 1 to 30 seconds. Without them, files that are there at the start are passed over, each change is a message once, and a failure is logged.',
  shorthand: 'enabled',
  attributes: {
    enabled: flag('Whether files are taken.', { default: true }),
    done: text('Folder that files are moved to when their flow has ended well.', { pattern: below }),
    failed: text('Folder that files are moved to when they were given up.', { pattern: below }),
    retry_count: int('Tries after the first one, before a file is given up; only with `done` and `failed`.', {
      default: 3,
      min: 0,
      max: 1000,
    }),
    workers: int('Files that are handled at the same time.', { default: 1, min: 1, max: 256 }),
    recursive: flag('Files in folders below are taken too.', { default: true }),
  },
  rules: [
    { rule: 'together', name: 'done', needs: ['failed'] },
    { rule: 'together', name: 'failed', needs: ['done'] },
    { rule: 'together', name: 'retry_count', needs: ['done'] },
  ],
  example: 'watch {\n  done   = "done"\n  failed = "failed"\n}',
});

export const watchInterval = duration('Time between two looks at the files.', { default: 5000, min: 10 });

/** What a watching store promises. */
export const watchSource = ({ problem: nameProblem }: Naming): SourceSpec => ({
  operation: 'optional',
  style: 'stream',
  redelivers: { whereWritten: [['watch', 'done']] },
  placement: 'one-worker',
  coexists: false,
  offers: ['*.csv', 'orders/*.json'],
  input: {
    _path: 'Path of the file below the folder of the connector, as `target` takes it.',
    _name: 'Its name.',
    _size: 'Its bytes.',
    _mod_time: 'When it was changed (RFC 3339).',
    _event: '`created` or `modified`.',
    _error: 'Why its content could not be read; absent when it was.',
    rows: 'Its rows, when there is not exactly one; the fields of a single row are beside these.',
  },
  checkConfig: ({ watch }) =>
    (watch as { readonly enabled?: boolean } | undefined)?.enabled === true
      ? undefined
      : 'it takes no files: write watch = true',
  checkOperation: (operation) => {
    const problem = globProblem(operation) ?? nameProblem(operation);
    return problem === undefined ? undefined : `"${operation}" ${problem}`;
  },
});
