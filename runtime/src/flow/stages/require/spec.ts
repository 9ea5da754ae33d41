import { block, list, text } from '@svc/protocol/schema';

/** `require { }` without roles and permissions requires only a signed-in caller. */
export const require_ = block({
  doc: 'Lets only signed-in callers through: 401 for an anonymous caller, 403 when a role or permission is missing.',
  attributes: {
    roles: list('The caller needs at least one of them.', text('A role.')),
    permissions: list('The caller needs all of them.', text('A permission.')),
  },
  example: 'require {\n  roles = ["admin"]\n}',
});
