import type { Values } from '@svc/protocol/schema';
import { type Preset, presets } from './presets.ts';
import type { auth } from './spec.ts';

/** The `auth` block as it was written. */
export type WrittenAuth = Values<typeof auth>;

type Written<K extends keyof WrittenAuth> = NonNullable<WrittenAuth[K]>;
type Security = NonNullable<WrittenAuth['security']>;
type Whole<W, P> = Omit<W, keyof P> & P;

/** What holds: every value that is written, everything else as the preset has it. Times are milliseconds. */
export interface AuthSettings {
  readonly preset: WrittenAuth['preset'];
  readonly base_url: string | undefined;
  readonly roles: Readonly<Record<string, readonly string[]>>;
  readonly jwt: Whole<Partial<Written<'jwt'>>, Preset['jwt'] & JwtDefaults>;
  readonly password: Whole<Partial<Written<'password'>>, Preset['password']> & PasswordDefaults;
  readonly sessions: Preset['sessions'];
  readonly mfa: MfaSettings;
  readonly social: WrittenAuth['social'];
  /** Those of `auth` and those of `sso`. */
  readonly oidc: Written<'oidc'>;
  readonly linking: Linking;
  /** Asked about credentials that are not tokens of this service, in the order in which they are written. */
  readonly provider: Written<'provider'>;
  readonly brute_force: Preset['brute_force'] & { readonly fail_delay: number };
  readonly progressive_delay: ProgressiveDelay;
  readonly replay_protection: Preset['replay_protection'];
  readonly impossible_travel: Preset['impossible_travel'] & Travel;
  readonly device_binding: Preset['device_binding'];
  readonly rate_limit: Security['rate_limit'];
  readonly users: WrittenAuth['users'];
  readonly storage: WrittenAuth['storage'];
  readonly audit: WrittenAuth['audit'];
  readonly hooks: WrittenAuth['hooks'];
  readonly prefix: string;
  readonly endpoints: WrittenAuth['endpoints'];
}

/** When an identity is linked to an account with the same address. */
type Linking = Pick<NonNullable<Written<'sso'>['linking']>, 'enabled' | 'match_by' | 'on_match'>;

/** Second factors. Times are milliseconds. */
export interface MfaSettings extends Readonly<Preset['mfa']> {
  readonly require_for: readonly string[];
  readonly require_multiple: boolean;
  readonly min_factors: number;
  readonly challenge_ttl: number;
  readonly totp: Written<'mfa'>['totp'];
  readonly webauthn: Written<'mfa'>['webauthn'];
  readonly recovery: { readonly enabled: boolean; readonly code_count: number; readonly code_length: number };
}

interface JwtDefaults {
  readonly reuse_leeway: number;
  readonly access_typ: 'JWT' | 'at+jwt';
}

interface PasswordDefaults {
  readonly reset_token_ttl: number;
  readonly max_waiting: number;
}

export interface ProgressiveDelay {
  readonly enabled: boolean;
  readonly initial: number;
  readonly max: number;
  readonly multiplier: number;
}

interface Travel {
  /** Kilometres below which nothing is judged. */
  readonly min_distance_km: number;
  readonly geoip: Geoip | undefined;
}

type Geoip = NonNullable<NonNullable<Security['impossible_travel']>['geoip']>;

const jwtDefaults: JwtDefaults = { reuse_leeway: 0, access_typ: 'JWT' };
const passwordDefaults: PasswordDefaults = { reset_token_ttl: 3_600_000, max_waiting: 100 };
const recoveryDefaults = { enabled: true, code_count: 10, code_length: 8 };
const delayDefaults = { initial: 1_000, max: 30_000, multiplier: 2 };

/** What holds of a written block: field by field, so that a block of one line changes one thing. */
export function settingsOf(written: WrittenAuth): AuthSettings {
  const preset = presets[written.preset];
  const { security } = written;
  const brute = security?.brute_force;
  const delay = brute?.progressive_delay;
  const secret = written.jwt?.secret ?? written.secret;
  return {
    preset: written.preset,
    base_url: written.base_url,
    roles: written.roles ?? {},
    jwt: { ...jwtDefaults, ...over(preset.jwt, written.jwt), ...(secret !== undefined && { secret }) },
    password: { ...passwordDefaults, ...over(preset.password, written.password) },
    sessions: trackingSomething(over(preset.sessions, written.sessions)),
    mfa: mfaOf(preset.mfa, written.mfa),
    social: written.social,
    oidc: [...(written.oidc ?? []), ...(written.sso?.oidc ?? [])],
    provider: written.provider ?? [],
    linking: written.account_linking ?? written.sso?.linking ?? { enabled: true, match_by: 'email', on_match: 'link' },
    brute_force: { fail_delay: 1_500, ...over(turnedOn(preset.brute_force, brute), brute) },
    progressive_delay: { ...delayDefaults, ...over(turnedOn(preset.progressive_delay, delay), delay) },
    replay_protection: over(
      turnedOn(preset.replay_protection, security?.replay_protection),
      security?.replay_protection,
    ),
    impossible_travel: {
      min_distance_km: 100,
      ...over(turnedOn(preset.impossible_travel, security?.impossible_travel), security?.impossible_travel),
      geoip: security?.impossible_travel?.geoip,
    },
    device_binding: over(turnedOn(preset.device_binding, security?.device_binding), security?.device_binding),
    rate_limit: security?.rate_limit,
    users: written.users,
    storage: written.storage,
    audit: written.audit,
    hooks: written.hooks,
    prefix: written.endpoints?.prefix ?? written.routes?.prefix ?? '/auth',
    endpoints: written.endpoints,
  };
}

/** Who writes the block means it: factors are on, whatever the preset has, and roles that it names must have one. */
function mfaOf(preset: Preset['mfa'], written: WrittenAuth['mfa']): MfaSettings {
  const usual = { require_for: [], require_multiple: false, min_factors: 0, challenge_ttl: 300_000 };
  const whole = { totp: undefined, webauthn: undefined, ...over({ ...preset, ...usual }, written) };
  return {
    ...whole,
    enabled: preset.enabled || written !== undefined,
    required: written?.required ?? (preset.required === 'false' ? 'optional' : preset.required),
    recovery: over(recoveryDefaults, written?.recovery),
  };
}

/** What is written wins; what is not keeps the value of the preset, flags among them. */
function over<P extends object, W extends object>(preset: P, written: W | undefined): P & Partial<W> {
  const set = Object.entries(written ?? {}).filter(([, value]) => value !== undefined);
  return { ...preset, ...Object.fromEntries(set) } as P & Partial<W>;
}

/** Who writes a block means it: it is on unless it says `enabled = false`, whatever the preset has. */
function turnedOn<P extends { readonly enabled: boolean }>(
  preset: P,
  written: { readonly enabled: boolean | undefined } | undefined,
): P {
  return written === undefined ? preset : { ...preset, enabled: written.enabled ?? true };
}

function trackingSomething<S extends Preset['sessions']>(sessions: S): S {
  return sessions.track.length === 0 ? { ...sessions, track: ['ip', 'user_agent'] } : sessions;
}
