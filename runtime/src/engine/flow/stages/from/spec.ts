import { block, cel, int, oneOf, reference, text } from '@svc/protocol/schema';

/** What happens to a message that a gate rejected (docs/specification/flow.md#dropped-messages). */
export const dropPolicies = ['ack', 'reject', 'requeue'] as const;

export const filter = block({
  doc: 'Skips messages that the flow does not handle. `filter = "…"` is the short form: it always discards.',
  shorthand: 'condition',
  attributes: {
    condition: cel('The message continues when this is true.', {
      required: true,
      reads: ['input'],
      gives: 'bool',
      decides: true,
      waits: true,
    }),
    on_reject: oneOf(
      'What happens to a skipped message: `ack` discards it, `reject` sends it to the dead-letter queue, `requeue` tries it again.',
      dropPolicies,
    ),
    id_field: cel('Identity of the message, by which its requeues are counted.', { reads: ['input'], gives: 'string' }),
    max_requeue: int('Requeues after which the message is discarded.', { default: 3, min: 0 }),
  },
  example: 'filter {\n  condition = "input.kind == \'order\'"\n  on_reject = "reject"\n}',
});

export const from = block({
  doc: 'Where the messages of the flow come from.',
  attributes: {
    connector: reference('The connector that triggers the flow.', 'connector', { required: true, tells: 'input' }),
    operation: text(
      'What triggers the flow, as the connector names it (`GET /orders/:id`), or a named operation of it.',
      { refersTo: 'operation', atConnector: true },
    ),
    on_reject: oneOf('What happens to a message that the text form of `filter` skips.', dropPolicies),
  },
  blocks: { filter },
  dependent: { by: 'connector', at: 'from', reads: ['input'] },
  example: 'from {\n  connector = "api"\n  operation = "GET /orders/:id"\n}',
});
