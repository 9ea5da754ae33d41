import type { Message } from '../../foundation/contracts/message.ts';
import type { Binding } from '../../foundation/contracts/source.ts';
import { asFailure } from '../../foundation/errors/classify.ts';
import type { Log } from '../../foundation/observe/log.ts';
import { copyOf } from '../../platform/formats/copy.ts';

/**
 * One flow for each field, in the order of the first of each: where several flows begin at one, the first answers, and the
 * others run beside it with a copy of its message. What becomes of them is not awaited; a failure is logged.
 */
export function answering(bindings: readonly Binding[], log: Log): readonly Binding[] {
  const fields = new Map<unknown, Binding[]>();
  for (const binding of bindings) {
    // Flows that resolve references alone have no operation.
    const key = binding.operation?.trim() ?? binding;
    const same = fields.get(key);
    if (same === undefined) fields.set(key, [binding]);
    else same.push(binding);
  }
  return [...fields.values()].map(([first, ...others]) =>
    others.length === 0 ? (first as Binding) : withOthers(first as Binding, others, log),
  );
}

function withOthers(first: Binding, others: readonly Binding[], log: Log): Binding {
  return {
    ...first,
    deliver: (message, dropCounts) => {
      for (const { flow, deliver } of others) {
        const end = message.contents?.().hold();
        const copy = copied(message);
        // Started in a turn of its own, so that it never delays the flow that answers.
        new Promise<void>((resolve) => setImmediate(resolve))
          .then(() => deliver(copy))
          .catch((error: unknown) => {
            const { code, message: text } = asFailure(error, { flow });
            log.warn('flow beside the answering one failed', { flow, code, error: text });
          })
          .finally(end);
      }
      return first.deliver(message, dropCounts);
    },
  };
}

/** The same message for a flow that runs whether the caller waits or not, and whose answer no caller selects from. */
function copied({ input, auth, addressed, around, traceparent, tracestate, contents }: Message): Message {
  return {
    input: copyOf(input) as Record<string, unknown>,
    auth,
    addressed,
    around,
    traceparent,
    tracestate,
    contents,
    signal: () => undefined,
  };
}
