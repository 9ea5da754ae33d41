import type { Auth } from '../../../contracts/message.ts';
import { Failure } from '../../../errors/failure.ts';
import type { Part } from '../../message/part.ts';
import type { FlowModel } from '../../model.ts';

/**
 * Lets signed-in callers through that have one of the roles and all of the permissions
 * (docs/specification/flow.md#require).
 */
export function require_({ values }: FlowModel): Part[] {
  if (!values.require) return [];
  const { roles = [], permissions = [] } = values.require;
  const named = roles.map((role) => `"${role}"`).join(', ');
  const lacksRole =
    roles.length === 1 ? `the caller lacks the role ${named}` : `the caller needs one of the roles ${named}`;
  return [
    {
      stage: undefined,
      name: '',
      title: 'require',
      step: ({ auth }) => {
        if (auth.authenticated !== true) throw new Failure('authentication_required', 'authentication required');
        if (roles.length > 0 && !roles.some((role) => auth.roles.includes(role))) throw forbidden(lacksRole);
        if (permissions.length > 0) {
          const held = permissionsOf(auth);
          const lacking = permissions.find((wanted) => !held.some((granted) => grants(granted, wanted)));
          if (lacking !== undefined) throw forbidden(`the caller lacks the permission "${lacking}"`);
        }
        return undefined;
      },
    },
  ];
}

/** `lacking` is for logs and traces; the caller only gets the status forbidden. */
function forbidden(lacking: string): Failure {
  return new Failure('permission_denied', 'forbidden', { cause: lacking });
}

function permissionsOf({ claims }: Auth): readonly string[] {
  const { permissions } = claims;
  if (Array.isArray(permissions)) return permissions.filter((each): each is string => typeof each === 'string');
  const { scope } = claims;
  return typeof scope === 'string' ? scope.split(' ').filter((each) => each !== '') : [];
}

/** `*` in a granted permission matches one segment. */
function grants(granted: string, wanted: string): boolean {
  if (granted === wanted) return true;
  if (!granted.includes('*')) return false;
  const [have, want] = [granted.split(':'), wanted.split(':')];
  return have.length === want.length && have.every((segment, at) => segment === '*' || segment === want[at]);
}
