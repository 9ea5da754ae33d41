import type { ProjectRule } from '@svc/protocol/model';
import { isWritten, originOf } from '@svc/protocol/schema';
import { resolveOperation } from '../connectors/operations.ts';
import { flowsOf } from './flow-places.ts';

const reading = /^(GET|HEAD|OPTIONS|QUERY)\s|^\//i;

/** What is written but cannot have an effect where it stands (supplement 6.3). */
export const checkInert: ProjectRule = (project, report) => {
  for (const { name, values } of flowsOf(project)) {
    const { from, to, step, cache } = values;
    if (!from) continue;
    const connector = project.connectors.get(from.connector);
    const operation = (connector && resolveOperation(connector, from.operation)?.operation) ?? from.operation ?? '';
    const [first] = to;
    const overridden = first?.transaction !== undefined || /^(INSERT|UPDATE|DELETE)$/i.test(first?.operation ?? '');
    const reads = connector?.spec?.type === 'rest' && reading.test(operation) && !overridden;
    const warn = (code: string, message: string, at: Parameters<typeof report>[2], help: string) =>
      report(code, message, at, { severity: 'warning', help });
    if (cache && connector?.spec?.type === 'rest' && !reads)
      warn(
        'inert-block',
        `flow "${name}" writes, and answers of writes are not cached`,
        originOf(values, 'cache'),
        'Remove the cache block.',
      );
    if (reads && step.length > 0 && to.length > 0)
      warn(
        'inert-block',
        `flow "${name}" reads and has steps, so its to is never read`,
        originOf(values, 'to'),
        'Remove the to block, or write a response over step.',
      );
    if (reads && to.length > 1)
      warn(
        'inert-block',
        `flow "${name}" reads, so only its first to counts`,
        originOf(to[1] as (typeof to)[number]),
        'Remove the other to blocks, or read them in steps.',
      );
    if (to.length === 1 && to[0] && isWritten(to[0], 'parallel'))
      warn(
        'inert-attribute',
        'parallel has no effect on the only destination',
        originOf(to[0], 'parallel'),
        'Remove it.',
      );
    if (to.length === 1 && to[0] && isWritten(to[0], 'required'))
      warn('inert-attribute', 'the only destination is required anyway', originOf(to[0], 'required'), 'Remove it.');
  }
};
