import type { CallResult } from '../../../../foundation/contracts/call-result.ts';
import type { Target } from '../../../../foundation/contracts/target.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { parseField } from '../../operation.ts';
import type { Topics } from './topics.ts';

const published: CallResult = { value: { published: true } };
const answered = () => published;

/** The field that a destination publishes to: its operation, or with `publish` its target; undefined when it names none. */
export function publishedField(operation: string | undefined, target: string | undefined): string | undefined {
  const parsed = parseField((operation === 'publish' ? target : operation) ?? '');
  return parsed?.type === 'Subscription' ? parsed.field : undefined;
}

/** Publishes events to the subscribers of this process. An event without subscribers is not a failure. */
export function publishTarget(connector: string, topics: Topics): Target {
  return {
    prepare({ operation, target, deferred, flow }) {
      const fixed = publishedField(operation, target);
      const filter = deferred?.['filter'];
      return (request) => {
        const field = fixed ?? publishedField(operation, request.target);
        if (field === undefined)
          throw new Failure('filter_missing', 'publish needs a target such as "Subscription.order_changed"', {
            at: { connector },
          });
        const handed = topics.publish({ field, value: request.payload ?? {}, filter, flow });
        return handed === undefined ? published : handed.then(answered);
      };
    },
  };
}
