import {
  block,
  cel,
  duration,
  float,
  int,
  lifetime,
  list,
  map,
  oneOf,
  reference,
  template,
  text,
} from '@svc/protocol/schema';
import { carriedByAction } from '../../../connectors/core/words-spec.ts';

export const phases = ['before', 'after', 'around', 'on_error', 'on_drop'] as const;

export type Phase = (typeof phases)[number];

/** The blocks that do something, and the phases in which each may be written. */
export const phasesOf: Readonly<Record<string, readonly Phase[]>> = {
  action: ['before', 'after', 'on_error', 'on_drop'],
  cache: ['around'],
  circuit_breaker: ['around'],
  rate_limit: ['before'],
  invalidate: ['after'],
  response: ['after'],
};

/** What every expression of an aspect reads besides the input; those of another phase are empty. */
export const ownVariables = ['result', 'error', 'drop', '_flow', '_operation', '_target', '_timestamp'] as const;

const reads = ['input', ...ownVariables];

const action = block({
  doc: 'Writes to a connector, or runs another flow.',
  attributes: {
    connector: reference('The connector that is written to.', 'connector'),
    flow: text(
      'The flow that is run, as if its trigger had delivered the payload. A chain of such calls that returns to one of its flows is refused.',
      { refersTo: 'flow' },
    ),
    operation: text(
      'What is done (`INSERT`, `UPDATE`, `POST /alerts`), a named operation of the connector, or verb and target in one text: `INSERT audit`.',
      { default: 'INSERT', refersTo: 'operation' },
    ),
    target: text('Table, path or queue.', { refersTo: 'operation', atConnector: true }),
  },
  blocks: {
    transform: block({
      doc: 'Builds the payload: one field after another, `output` holds the fields above. Without it the payload is the part of its input that a flow without transform writes.',
      builds: 'output',
      keys: 'parameters',
      fields: cel('A field of the payload.', { reads: [...reads, 'output'] }),
    }),
  },
  rules: [{ rule: 'exactlyOneOf', names: ['connector', 'flow'] }],
  dependent: { by: 'connector', at: 'action', reads: [...reads, 'output'], shared: carriedByAction },
  example:
    'action {\n  connector = "db"\n  target    = "audit"\n  transform {\n    flow = "_flow"\n    at   = "now()"\n  }\n}',
});

const cache = block({
  doc: 'Keeps what the flow answers. A hit answers without running the flow.',
  attributes: {
    storage: reference('The cache connector.', 'storage', { required: true }),
    ttl: lifetime('How long an answer is kept.', { required: true, min: 1 }),
    key: template(
      'Key of an answer: text with `${…}` parts, escaped as in a cache of a flow. A message whose key cannot be determined is not cached.',
      { reads, required: true, example: '"${_flow}:${input.id}"' },
    ),
    scope: oneOf('`shared` permits that every caller gets the answer that another one got.', ['shared']),
  },
});

const circuitBreaker = block({
  doc: 'Stops calling what keeps failing: after several consecutive failures the flow fails at once, until one message at a time has shown that it works again.',
  attributes: {
    name: text('Breakers of the same name share their state. Without it, each aspect has its own.'),
    failure_threshold: int('Consecutive failures that open it; 0 means 5.', { required: true, min: 0 }),
    success_threshold: int('Consecutive successes that close it again.', { default: 2, min: 1 }),
    timeout: duration('How long it stays open before it tries again; 0 means `30s`.', { required: true, min: 0 }),
  },
});

const rateLimit = block({
  doc: 'Lets messages through at a certain rate. One too many fails: 429.',
  attributes: {
    key: template(
      'What is counted: an expression, or text with `${…}` parts. A message whose key cannot be determined fails.',
      { reads, required: true, orExpression: true, example: '"input.customer"' },
    ),
    requests_per_second: float('Messages per second and key.', { required: true, min: 0.001 }),
    burst: int('Messages of one key that may come at once. Default: twice the rate.', { min: 1 }),
    storage: reference(
      'A cache connector that counts for every process that uses it; without it each process counts alone. While it is unavailable each process limits alone, with the same numbers.',
      'storage',
    ),
    scope: oneOf('`process` accepts that each worker counts separately.', ['process']),
  },
});

const invalidate = block({
  doc: 'Drops answers from a cache.',
  attributes: {
    storage: reference('The cache connector.', 'storage', { required: true }),
    keys: list('Keys to drop: texts with `${…}` parts.', template('A key.', { reads, example: '"order:${input.id}"' })),
    patterns: list('Keys to drop, with `*` and `?`: texts with `${…}` parts.', template('A pattern.', { reads })),
  },
  rules: [{ rule: 'atLeastOneOf', names: ['keys', 'patterns'] }],
});

const response = block({
  doc: 'Adds to the answer: every field to every row, or to the one object. Without any row, one is made of the fields.',
  attributes: {
    headers: map(
      'Headers of the answer. Those of several aspects add up; of one name, the aspect that runs last wins.',
      text('Value of one header.'),
    ),
  },
  fields: cel('A field of the answer.', { reads }),
});

/** `aspect "name" { … }`: a rule for many flows, chosen by their names. */
export const aspect = block({
  doc: 'Does something before, after or around every flow whose name matches: audit, alerts, limits, caches, circuit breakers.',
  label: { name: 'name', doc: 'Unique name, in logs, metrics and breakpoints.' },
  repeated: true,
  attributes: {
    on: list(
      'Patterns of names of flows: `*` matches any text, `?` one letter, `[a-z]` and `[^a]` one of a class.',
      text('One pattern.'),
      { required: true, example: '["create_*", "delete_*"]' },
    ),
    when: oneOf(
      '`before` the work of a flow, which fails when the aspect does; `after` its success; `around` it, retries included; `on_error` after its last failure; `on_drop` when a gate rejected the message.',
      phases,
      { required: true },
    ),
    if: cel('The aspect runs only when this is true; a condition that cannot be evaluated counts as false.', {
      reads,
      gives: 'bool',
      decides: true,
    }),
    priority: int('Lower ones come first, and are the outer ones of `around`; `after` runs in reverse.', {
      default: 0,
    }),
  },
  blocks: { action, cache, circuit_breaker: circuitBreaker, rate_limit: rateLimit, invalidate, response },
  rules: [
    {
      rule: 'atLeastOneOf',
      names: ['action', 'cache', 'circuit_breaker', 'rate_limit', 'invalidate', 'response'],
    },
    { rule: 'atMostOneOf', names: ['cache', 'circuit_breaker'] },
  ],
  example:
    'aspect "audit" {\n  on   = ["create_*"]\n  when = "after"\n  if   = "result.affected > 0"\n  action {\n    connector = "db"\n    target    = "audit"\n    transform {\n      flow = "_flow"\n    }\n  }\n}',
});
