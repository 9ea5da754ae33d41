import { block, lifetime, list, text } from '@svc/protocol/schema';

/** `require { }` without roles and permissions requires only a signed-in caller. */
export const require_ = block({
  doc: 'Lets only signed-in callers through: 401 for an anonymous caller, 403 when a role, a permission or a second factor is missing.',
  attributes: {
    roles: list('The caller needs at least one of them.', text('A role.')),
    permissions: list('The caller needs all of them.', text('A permission.')),
    mfa: lifetime(
      'The caller has proved a second factor in its session within this time: else 403 `mfa_step_up_required`.',
      { min: 1_000 },
    ),
  },
  example: 'require {\n  roles = ["admin"]\n}',
});
