import { bool, type CelType, dyn, int, list, map, string, struct, type VariableDeclaration } from '@svc/protocol/cel';

const anything = map(string, dyn);

const auth = struct(
  { authenticated: bool, user_id: string, email: string, roles: list(string), claims: anything },
  true,
);

/** Every variable of the flow language (docs/specification/language.md#variables). */
const variables: Readonly<Record<string, VariableDeclaration>> = {
  input: variable('input', anything, 'The message.'),
  output: variable('output', dyn, 'What the transform has built so far, or what the destination answered.'),
  step: variable('step', anything, 'Results of earlier steps by name.'),
  enriched: variable('enriched', anything, 'Results of enrichments by name.'),
  captured: variable('captured', anything, 'What earlier statements of the transaction captured.'),
  error: variable('error', anything, 'What went wrong: `message`, `code`, `type`.'),
  result: variable('result', struct({ data: list(dyn), affected: int }, true), 'What the flow answered.'),
  drop: variable(
    'drop',
    struct({ reason: string, policy: string, message_id: string }, true),
    'Why the message was rejected.',
  ),
  _flow: variable('_flow', string, 'Name of the flow.'),
  _operation: variable('_operation', string, 'The operation that triggers the flow; may be empty.'),
  _target: variable('_target', string, 'The target of the destination; may be empty.'),
  _timestamp: variable('_timestamp', int, 'Seconds since 1970.'),
  lock: variable('lock', struct({ token: int }), 'The lock that the flow holds: `token` grows with each lock taken.'),
  value: variable('value', dyn, 'The value that is checked.'),
  operation: variable('operation', string, 'The operation of a call: `INSERT`, `POST /orders`.'),
  target: variable('target', string, 'The table, path or queue of a call; may be empty.'),
  query: variable('query', string, 'The statement of a call; may be empty.'),
  auth: variable('auth', auth, 'The caller: `authenticated`, `user_id`, `email`, `roles`, `claims`.'),
  constants: variable('constants', anything, 'Values of the `constants` blocks.'),
  context: variable(
    'context',
    struct({ connection_params: anything, params: anything, auth }, true),
    'Of one of those who receive it: what it said when it connected (`connection_params`), the parameters of its connection (`params`), its identity (`auth`).',
  ),
  ctx: variable('ctx', anything, 'Always empty; older configurations read it.'),
};

function variable(name: string, type: CelType, doc: string): VariableDeclaration {
  return Object.freeze({ name, type, doc });
}

const everywhere = ['auth', 'constants', 'ctx'];

/** The variables of a position that reads `names`, those that exist everywhere included. */
export function variablesOf(names: readonly string[]): readonly VariableDeclaration[] {
  return [...names, ...everywhere].map((name) =>
    Object.hasOwn(variables, name) ? (variables[name] as VariableDeclaration) : { name, type: dyn },
  );
}
