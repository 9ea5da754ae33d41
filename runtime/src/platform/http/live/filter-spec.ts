import { block, cel } from '@svc/protocol/schema';

/** What may be written in a `to` that sends to connected clients. */
export const pushWords = block({
  doc: 'What a flow says of what it sends to clients.',
  attributes: {
    filter: cel(
      'Which of the clients receive it: evaluated for each of them, with what is sent as `input` and what is known of the client as `context`: the parameters of its connection (`context.connection_params`, also `context.params`) and its identity (`context.auth`). A client for which it is not `true`, or fails, gets nothing.',
      { reads: ['input', 'context'], gives: 'bool', deferred: true },
    ),
  },
  example: 'filter = "context.connection_params.region == input.region"',
});
