import type { Auth } from '../../../../foundation/contracts/message.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { factorProvedAt } from '../../../../platform/identity/caller.ts';
import type { Part } from '../../message/part.ts';
import type { FlowModel } from '../../model.ts';
import type { FlowTools } from '../../tools.ts';

/**
 * Lets signed-in callers through that have one of the roles and all of the permissions, and have proved a second factor
 * lately (docs/specification/flow.md#require).
 */
export function require_({ values }: FlowModel, { services }: FlowTools): Part[] {
  if (!values.require) return [];
  const { roles = [], permissions = [], mfa } = values.require;
  const { clock } = services;
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
        if (mfa !== undefined && !isWithin(clock.now() - (factorProvedAt(auth) ?? Number.NEGATIVE_INFINITY), mfa))
          throw new Failure('mfa_step_up_required', 'a second factor must be proved again');
        return undefined;
      },
    },
  ];
}

/** What was proved in the time to come was proved before the clock was set back: how long ago is not known. */
function isWithin(age: number, most: number): boolean {
  return age >= 0 && age < most;
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
