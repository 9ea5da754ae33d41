import { block, list, text } from '@svc/protocol/schema';

/** `require { }` without roles and permissions asks only that somebody is signed in. */
export const require_ = block({
  doc: 'Lets only signed-in callers through: 401 when nobody is signed in, 403 when a role or permission is lacking.',
  attributes: {
    roles: list('The caller needs at least one of them.', text('A role.')),
    permissions: list('The caller needs all of them.', text('A permission.')),
  },
  example: 'require {\n  roles = ["admin"]\n}',
});
