const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** What a preset fixes, by the names of the blocks that override it. Times are milliseconds, memory is KiB. */
export interface Preset {
  readonly jwt: {
    readonly algorithm: 'HS256' | 'HS384' | 'HS512' | 'RS256' | 'RS384' | 'RS512';
    readonly access_lifetime: number;
    readonly refresh_lifetime: number;
    readonly rotation: boolean;
  };
  readonly password: {
    readonly min_length: number;
    readonly max_length: number;
    readonly require_upper: boolean;
    readonly require_lower: boolean;
    readonly require_number: boolean;
    readonly require_special: boolean;
    readonly history: number;
    readonly max_age: number | undefined;
    readonly warn_before: number;
    readonly breach_check: boolean;
    readonly memory: number;
    readonly iterations: number;
    readonly parallelism: number;
  };
  readonly sessions: {
    readonly max_active: number;
    readonly idle_timeout: number;
    readonly absolute_timeout: number;
    readonly extend_on_activity: boolean;
    readonly allow_list: boolean;
    readonly allow_revoke: boolean;
    readonly track: readonly ('ip' | 'user_agent')[];
    readonly on_max_reached: 'revoke_oldest' | 'reject_new';
  };
  readonly mfa: {
    readonly enabled: boolean;
    readonly required: 'true' | 'optional' | 'false' | 'admin_only';
    readonly methods: readonly ('totp' | 'webauthn')[];
    readonly grace_period: number;
  };
  readonly brute_force: {
    readonly enabled: boolean;
    readonly max_attempts: number;
    readonly window: number;
    readonly lockout_time: number;
    readonly track_by: 'ip' | 'user' | 'ip+user';
  };
  readonly progressive_delay: { readonly enabled: boolean };
  readonly replay_protection: { readonly enabled: boolean; readonly window: number };
  readonly impossible_travel: {
    readonly enabled: boolean;
    readonly max_speed_kmh: number;
    readonly on_detect: 'notify' | 'challenge' | 'block';
  };
  readonly device_binding: {
    readonly enabled: boolean;
    readonly fingerprint: readonly ('user_agent' | 'ip' | 'device_id')[];
    readonly trust_duration: number;
    readonly max_devices: number;
    readonly on_new_device: 'allow' | 'notify' | 'challenge' | 'block';
  };
}

export const presetNames = ['standard', 'strict', 'relaxed', 'development'] as const;

export type PresetName = (typeof presetNames)[number];

const hash = { memory: 65_536, iterations: 3, parallelism: 2 } as const;
const anyCharacters = {
  require_upper: false,
  require_lower: false,
  require_number: false,
  require_special: false,
} as const;
const openSessions = { extend_on_activity: true, allow_list: true, allow_revoke: true } as const;
const both = ['ip', 'user_agent'] as const;
const everyFactor = ['totp', 'webauthn'] as const;
const noFactors = { enabled: false, required: 'false', methods: everyFactor, grace_period: 0 } as const;
const standardTravel = { enabled: false, max_speed_kmh: 900, on_detect: 'notify' } as const;
const noDevices = {
  enabled: false,
  fingerprint: ['user_agent'],
  trust_duration: 30 * day,
  max_devices: 5,
  on_new_device: 'allow',
} as const;

/** The presets (docs/specification/sign-in.md#presets). */
export const presets: Readonly<Record<PresetName, Preset>> = {
  strict: {
    jwt: { algorithm: 'RS256', access_lifetime: 15 * minute, refresh_lifetime: day, rotation: true },
    password: {
      min_length: 12,
      max_length: 128,
      require_upper: true,
      require_lower: true,
      require_number: true,
      require_special: true,
      history: 5,
      max_age: 90 * day,
      warn_before: 7 * day,
      breach_check: true,
      ...hash,
    },
    sessions: {
      max_active: 3,
      idle_timeout: 30 * minute,
      absolute_timeout: 8 * hour,
      ...openSessions,
      track: both,
      on_max_reached: 'reject_new',
    },
    mfa: { enabled: true, required: 'true', methods: everyFactor, grace_period: 7 * day },
    brute_force: {
      enabled: true,
      max_attempts: 3,
      window: 15 * minute,
      lockout_time: 30 * minute,
      track_by: 'ip+user',
    },
    progressive_delay: { enabled: true },
    replay_protection: { enabled: true, window: 5 * minute },
    impossible_travel: { enabled: true, max_speed_kmh: 900, on_detect: 'block' },
    device_binding: {
      enabled: true,
      fingerprint: ['user_agent'],
      trust_duration: 30 * day,
      max_devices: 3,
      on_new_device: 'challenge',
    },
  },
  standard: {
    jwt: { algorithm: 'HS256', access_lifetime: hour, refresh_lifetime: 7 * day, rotation: true },
    password: {
      min_length: 8,
      max_length: 128,
      require_upper: true,
      require_lower: true,
      require_number: true,
      require_special: false,
      history: 3,
      max_age: undefined,
      warn_before: 7 * day,
      breach_check: false,
      ...hash,
    },
    sessions: {
      max_active: 5,
      idle_timeout: hour,
      absolute_timeout: 24 * hour,
      ...openSessions,
      track: both,
      on_max_reached: 'revoke_oldest',
    },
    mfa: { enabled: true, required: 'optional', methods: everyFactor, grace_period: 14 * day },
    brute_force: {
      enabled: true,
      max_attempts: 5,
      window: 15 * minute,
      lockout_time: 15 * minute,
      track_by: 'ip+user',
    },
    progressive_delay: { enabled: false },
    replay_protection: { enabled: true, window: 5 * minute },
    impossible_travel: standardTravel,
    device_binding: {
      enabled: true,
      fingerprint: ['user_agent'],
      trust_duration: 30 * day,
      max_devices: 5,
      on_new_device: 'notify',
    },
  },
  relaxed: {
    jwt: { algorithm: 'HS256', access_lifetime: 24 * hour, refresh_lifetime: 30 * day, rotation: false },
    password: {
      min_length: 6,
      max_length: 128,
      ...anyCharacters,
      history: 0,
      max_age: undefined,
      warn_before: 7 * day,
      breach_check: false,
      ...hash,
    },
    sessions: {
      max_active: 10,
      idle_timeout: 24 * hour,
      absolute_timeout: 7 * day,
      ...openSessions,
      track: both,
      on_max_reached: 'revoke_oldest',
    },
    mfa: { ...noFactors, methods: ['totp'] },
    brute_force: { enabled: true, max_attempts: 10, window: 15 * minute, lockout_time: 5 * minute, track_by: 'ip' },
    progressive_delay: { enabled: false },
    replay_protection: { enabled: false, window: 5 * minute },
    impossible_travel: standardTravel,
    device_binding: noDevices,
  },
  development: {
    jwt: { algorithm: 'HS256', access_lifetime: 24 * hour, refresh_lifetime: 90 * day, rotation: false },
    password: {
      min_length: 1,
      max_length: 128,
      ...anyCharacters,
      history: 0,
      max_age: undefined,
      warn_before: 7 * day,
      breach_check: false,
      memory: 65_536,
      iterations: 1,
      parallelism: 1,
    },
    sessions: {
      max_active: 100,
      idle_timeout: 30 * day,
      absolute_timeout: 90 * day,
      ...openSessions,
      track: both,
      on_max_reached: 'revoke_oldest',
    },
    mfa: noFactors,
    brute_force: { enabled: false, max_attempts: 10, window: 15 * minute, lockout_time: 5 * minute, track_by: 'ip' },
    progressive_delay: { enabled: false },
    replay_protection: { enabled: false, window: 5 * minute },
    impossible_travel: standardTravel,
    device_binding: noDevices,
  },
};
