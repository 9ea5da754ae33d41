import type { Project } from '@svc/protocol/model';
import { isWritten, originOf } from '@svc/protocol/schema';
import { specsOf } from '../../../connectors/core/declaration.ts';
import { resolveOperation } from '../../../connectors/core/operations.ts';
import { dialectOf } from '../../../connectors/database/engines.ts';
import type { FlowDeclaration } from '../../../engine/flow/declarations.ts';
import type { FlowRule } from '../../../engine/flow/every-flow.ts';
import { verbOfDestination, verbOfFlow } from '../../../engine/flow/flow-verb.ts';
import type { FlowVerb } from '../../../engine/flow/verb.ts';

/** What is written but cannot have an effect where it is written. */
export const checkInert: FlowRule = ({ name, values }, connectors, report) => {
  const { from, to, step, cache, dedupe, after } = values;
  if (!from && !values.when) return;
  if (from && !connectors.get(from.connector)?.spec?.source) return;
  const asked = verbOfFlow(values, connectors);
  const reads = verbOfDestination(to[0], asked, connectors) === 'read';
  const warn = (code: string, message: string, at: Parameters<typeof report>[2], help: string) =>
    report(code, message, at, { severity: 'warning', help });
  if (cache && (asked !== 'read' || (to.length > 0 && !reads)))
    warn(
      'inert-block',
      `flow "${name}" does not only read, and only answers of reading flows are cached`,
      originOf(values, 'cache'),
      'Remove the cache block.',
    );
  if (dedupe && (reads || to.length === 0))
    warn(
      'inert-block',
      `flow "${name}" writes to no destination, and only writes are deduplicated`,
      originOf(values, 'dedupe'),
      'Remove the dedupe block.',
    );
  if (reads && step.length > 0 && to.length > 0)
    warn(
      'inert-block',
      `flow "${name}" reads and has steps, so its to is never read`,
      originOf(values, 'to'),
      'Remove the to block, or write a response over step.',
    );
  if (reads && step.length === 0 && to.length > 0 && after)
    warn(
      'inert-block',
      `flow "${name}" reads, and after follows writes`,
      originOf(values, 'after'),
      'Remove the after block.',
    );
  if (reads && to.length > 1)
    warn(
      'inert-block',
      `flow "${name}" reads, so only its first to counts`,
      originOf(to[1] as (typeof to)[number]),
      'Remove the other to blocks, or read them in steps.',
    );
  if (reads && step.length === 0 && to[0])
    for (const word of ['when', 'transform'] as const)
      if (isWritten(to[0], word))
        warn(
          word === 'when' ? 'inert-attribute' : 'inert-block',
          `flow "${name}" reads, and ${word} of a to is for writes`,
          originOf(to[0], word),
          word === 'when' ? 'Use filter or accept.' : 'Shape what was read with transform or response of the flow.',
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
  for (const one of to)
    if (isWritten(one, 'params') && !takesParameters(one, asked, connectors))
      warn(
        'inert-attribute',
        'a database reads params for a query, and for the key of an UPDATE or DELETE',
        originOf(one, 'params'),
        'Write a query, or build the payload in transform.',
      );
};

type To = FlowDeclaration['values']['to'][number];

function takesParameters(to: To, asked: FlowVerb, connectors: Project['connectors']): boolean {
  const connector = connectors.get(to.connector);
  if (!connector || to.query !== undefined) return true;
  const verb = verbOfDestination(to, asked, connectors);
  if (verb === 'update' || verb === 'delete') return true;
  if (resolveOperation(connector, to.operation)?.query !== undefined) return true;
  return !specsOf(connector).some((spec) => dialectOf(spec) !== undefined);
}
