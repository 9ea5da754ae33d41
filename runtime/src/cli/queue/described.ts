import type { Command } from '../command.ts';

export const queueCommand: Command = {
  name: 'queue',
  summary: 'Look at queues and their messages, send some, and send dead letters back or remove them.',
  positionals: 'list|peek|publish|replay|discard [CONNECTOR]',
  most: 2,
  options: {
    limit: {
      kind: 'text',
      placeholder: 'N',
      doc: 'At most this many messages. Default: 10; replay and discard: 100.',
    },
    where: {
      kind: 'text',
      placeholder: 'CONDITION',
      doc: 'Only messages for which this is true, an expression over input: body, headers, key, source, position.',
    },
    only: { kind: 'text', placeholder: 'DIGEST,…', doc: 'peek, replay, discard: only messages of these digests.' },
    dead: { kind: 'flag', doc: 'peek: dead letters instead of messages that wait.' },
    input: {
      kind: 'text',
      placeholder: 'FILE|-',
      doc: 'publish: a JSON object, a list of objects, or an object in each line.',
    },
    sample: { kind: 'flag', doc: 'publish: one message made from the type that the flow validates.' },
    target: {
      kind: 'text',
      placeholder: 'NAME',
      doc: 'publish: queue, topic or subject. Default: where the flows of the connector take messages from.',
    },
    passing: { kind: 'flag', doc: 'replay: only dead letters that would pass now.' },
    with: {
      kind: 'text',
      placeholder: 'FILE|-',
      doc: 'replay: what the one letter that --only names is sent with, in place of its own content.',
    },
    to: {
      kind: 'text',
      placeholder: 'NAME',
      doc: 'replay: queue, topic or subject. Default: where each came from.',
    },
    'dry-run': { kind: 'flag', doc: 'publish: show the messages, send nothing.' },
    yes: { kind: 'flag', doc: 'replay: send; discard: remove. Without it the dead letters are only shown.' },
    format: { kind: 'text', placeholder: 'FORMAT', doc: 'How the result is written.', choices: ['text', 'json'] },
  },
  details: `
No running service is needed. list asks the brokers how much waits, of one connector or of all. peek leaves every
message where it is. replay sends each dead letter to where it came from, counts that in the header x-replay-count,
and removes it once the broker has it; where the broker keeps it all the same, a group GROUP.replay remembers how far that is.
Without --yes replay tells of each dead letter what its flow would do now: it runs with the text as it is, and calls
no connector. What depends on the answer of one is unknown. discard removes dead letters for good. docs/queues.md
tells which brokers keep messages that can be looked at.
Exit status: 0 done, 1 the broker or the connector cannot do it, 2 wrong usage.

svc queue list
svc queue peek orders --limit 1
echo '{"id": 7}' | svc queue publish orders --input -
svc queue replay orders --passing --yes
svc queue discard orders --where 'input.body.total == 0' --yes`,
  load: () => import('../commands/queue.ts'),
};
