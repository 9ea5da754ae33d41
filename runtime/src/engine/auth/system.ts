import type { Clock } from '../../foundation/observe/clock.ts';
import type { Log } from '../../foundation/observe/log.ts';
import type { AuditTrail } from './audit/trail.ts';
import type { Seal } from './factors/totp/seal.ts';
import type { IdentityProviders } from './federated/providers/providers.ts';
import type { Hooks } from './hooks/hooks.ts';
import type { PasswordHashes } from './passwords/hash.ts';
import type { PasswordPolicy } from './passwords/policy.ts';
import type { BreachCheck, SignInJudge } from './protection/contract.ts';
import type { EndpointLimits } from './protection/limits.ts';
import type { Lockout } from './protection/lockout.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { AuthSettings } from './settings.ts';
import type { AccountStore } from './store/accounts.ts';
import type { StateStore } from './store/state.ts';
import type { TokenKeys } from './tokens/keys.ts';
import type { Tokens } from './tokens/tokens.ts';

/** The engines of the sign-in system of one configuration, each in its own folder. */
export interface AuthSystem {
  readonly settings: AuthSettings;
  /** The name of the service, as people read it. */
  readonly serviceName: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly accounts: AccountStore;
  readonly state: StateStore;
  readonly sessions: Sessions;
  readonly keys: TokenKeys;
  readonly tokens: Tokens;
  /** Seals what accounts share with authenticator apps. */
  readonly seal: Seal;
  readonly hashes: PasswordHashes;
  readonly policy: PasswordPolicy;
  /** Undefined where breached passwords are not looked up. */
  readonly breaches: BreachCheck | undefined;
  readonly lockout: Lockout;
  /** Undefined where the requests to endpoints are not limited. */
  readonly limits: EndpointLimits | undefined;
  readonly travel: SignInJudge | undefined;
  readonly devices: SignInJudge | undefined;
  /** Undefined where no provider is configured. */
  readonly providers: IdentityProviders | undefined;
  readonly audit: AuditTrail;
  readonly hooks: Hooks;
  /** Permissions of roles. */
  permissionsOf(roles: readonly string[]): readonly string[];
}
