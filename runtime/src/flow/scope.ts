import { bool, type CelType, dyn, list, map, string, struct, type VariableDeclaration } from '@svc/protocol/cel';

const anything = map(string, dyn);

const auth = struct(
  { authenticated: bool, user_id: string, email: string, roles: list(string), claims: anything },
  true,
);

/** Every variable of the flow language (supplement 4.2). */
const variables: Readonly<Record<string, { readonly type: CelType; readonly doc: string }>> = {
  input: { type: anything, doc: 'The message.' },
  output: { type: dyn, doc: 'What the transform has built so far, or what the destination answered.' },
  step: { type: anything, doc: 'Results of earlier steps by name.' },
  enriched: { type: anything, doc: 'Results of enrichments by name.' },
  captured: { type: anything, doc: 'What earlier statements of the transaction captured.' },
  error: { type: anything, doc: 'What went wrong: `message`, `code`, `type`.' },
  value: { type: dyn, doc: 'The value that is checked.' },
  auth: { type: auth, doc: 'Who sent the message: `authenticated`, `user_id`, `email`, `roles`, `claims`.' },
  constants: { type: anything, doc: 'Values of the `constants` blocks.' },
  ctx: { type: anything, doc: 'Always empty; older configurations read it.' },
};

const everywhere = ['auth', 'constants', 'ctx'];

/** The variables of a position that reads `names`, those that exist everywhere included. */
export function variablesOf(names: readonly string[]): readonly VariableDeclaration[] {
  return [...names, ...everywhere].map((name) => {
    const known = variables[name];
    return known ? { name, ...known } : { name, type: dyn };
  });
}
