import type { Clock } from '../../foundation/observe/clock.ts';
import type { Log } from '../../foundation/observe/log.ts';
import { permissionsByRole } from './accounts/permissions.ts';
import type { AuditTrail } from './audit/trail.ts';
import { Seal } from './factors/totp/seal.ts';
import type { IdentityProviders } from './federated/providers/providers.ts';
import type { Hooks } from './hooks/hooks.ts';
import { BreachList } from './passwords/breach.ts';
import { PasswordHashes } from './passwords/hash.ts';
import { PasswordPolicy } from './passwords/policy.ts';
import { DeviceBinding } from './protection/devices.ts';
import type { Geolocation } from './protection/geolocation.ts';
import { EndpointLimits } from './protection/limits.ts';
import { Lockout } from './protection/lockout.ts';
import { ImpossibleTravel } from './protection/travel.ts';
import type { SessionEndings } from './sessions/endings.ts';
import { Sessions } from './sessions/sessions.ts';
import type { AuthSettings } from './settings.ts';
import type { AccountStore } from './store/accounts.ts';
import type { StateStore } from './store/state.ts';
import type { AuthSystem } from './system.ts';
import { keyPair, secretKeys } from './tokens/configured-keys.ts';
import { withFormerKeys } from './tokens/former-keys.ts';
import type { TokenKeys } from './tokens/keys.ts';
import { OwnKeys } from './tokens/own-keys.ts';
import { Tokens } from './tokens/tokens.ts';

/** Milliseconds that a request waits at most before its answer, below the time in which servers cut what is silent. */
const longestWait = 20_000;

/** What the engines are made of. */
export interface AuthFoundation {
  readonly settings: AuthSettings;
  /** The name of the service, as people read it. */
  readonly serviceName: string;
  readonly accounts: AccountStore;
  readonly state: StateStore;
  readonly endings: SessionEndings;
  readonly hooks: Hooks;
  readonly audit: AuditTrail;
  /** Where addresses are; undefined where that is not known. */
  readonly places: Pick<Geolocation, 'find'> | undefined;
  /** Undefined where no provider is configured. */
  readonly providers: IdentityProviders | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Called whenever a limit was taken: whether each process limits alone, since the shared store is unavailable. */
  readonly limitsAlone: (alone: boolean) => void;
}

/** Makes the engines of the sign-in system. Opens nothing. Throws a Failure where configured keys cannot be used. */
export function composeAuth(foundation: AuthFoundation): AuthSystem {
  const { settings, serviceName, accounts, state, endings, hooks, audit, places, providers, clock, log, limitsAlone } =
    foundation;
  // Processes of the version before may check tokens that this one signs.
  const writesAsBefore = () => accounts.scope.writesAsBefore(clock.now());
  const permissionsOf = permissionsByRole(settings.roles);
  const keys = keysOf(settings, accounts, clock);
  return {
    settings,
    serviceName,
    clock,
    log,
    accounts,
    state,
    hooks,
    keys,
    permissionsOf,
    tokens: new Tokens(settings.jwt, permissionsOf, keys, clock, writesAsBefore),
    seal: new Seal(settings.jwt.secret, settings.jwt.previous_secrets),
    sessions: new Sessions(settings.sessions, state, endings, clock),
    hashes: new PasswordHashes(settings.password),
    policy: new PasswordPolicy(settings.password),
    breaches: settings.password.breach_check ? new BreachList(settings.password.breach_url, log) : undefined,
    lockout: new Lockout({ settings, store: state.attempts, clock, longestWait }),
    limits: limitsOf(settings, state, clock, log, limitsAlone),
    travel:
      settings.impossible_travel.enabled && places !== undefined
        ? new ImpossibleTravel(settings.impossible_travel, places, accounts, clock)
        : undefined,
    providers,
    devices: settings.device_binding.enabled ? new DeviceBinding(settings.device_binding, accounts, clock) : undefined,
    audit,
  };
}

function limitsOf(
  { rate_limit: settings }: AuthSettings,
  store: StateStore,
  clock: Clock,
  log: Log,
  storeAway: AuthFoundation['limitsAlone'],
): EndpointLimits | undefined {
  if (settings === undefined || !settings.enabled) return undefined;
  return new EndpointLimits({ settings, store, clock, log, storeAway });
}

/** Whether the key of the tokens is made by the service, and kept with accounts that this process alone has. */
export function hasKeyOfOneProcess({ jwt, users }: Pick<AuthSettings, 'jwt' | 'users'>): boolean {
  return users === undefined && jwt.private_key === undefined && !jwt.algorithm.startsWith('HS');
}

function keysOf({ jwt }: AuthSettings, store: AccountStore, clock: Clock): TokenKeys {
  const { algorithm, secret, previous_secrets: formerSecrets, private_key: privateKey, public_key: publicKey } = jwt;
  if (algorithm.startsWith('HS')) return secretKeys(secret ?? '', formerSecrets);
  const keys =
    privateKey !== undefined
      ? keyPair(privateKey, publicKey)
      : new OwnKeys({
          store,
          clock,
          passphrase: secret,
          formerPassphrases: formerSecrets,
          rotation: jwt.key_rotation,
          lifetime: Math.max(jwt.access_lifetime, jwt.refresh_lifetime),
        });
  return withFormerKeys(keys, jwt.previous_public_keys ?? []);
}
