import { expect } from 'vitest';
import type { AccountStore, PasswordChange } from '../accounts.ts';
import type { LinkedIdentity } from '../identities.ts';
import type { StateStore } from '../state.ts';
import { accountOf, at, hashOf } from './account-conformance.ts';
import { digest, long, many, sessionOf, ticketOf } from './state-subject.ts';

/** The id of an account of both services. */
export const sharedId = '1';

/** One kind of state: what one service writes, and what it and another one see of it. */
export interface Kind<S> {
  readonly write: (store: S) => Promise<unknown>;
  readonly read: (store: S) => Promise<unknown>;
  /** What there is to see before anything is written. */
  readonly nothing: unknown;
  /** What ends it, at the other service. */
  readonly end?: (store: S) => Promise<unknown>;
}

const policy = { max: 1, window: 60_000, lockout: 60_000 };
const session = sessionOf(sharedId, { id: 'a'.repeat(32), refreshId: 'first' });

const tickets = (kind: string): Kind<StateStore> => {
  const ticket = ticketOf(sharedId, kind, { kind });
  return {
    write: (store) => store.tickets.issue(ticket, 60_000, true),
    read: (store) => store.tickets.peek(kind, ticket.digest),
    nothing: undefined,
    end: async (store) => [await store.tickets.take(kind, ticket.digest), await store.tickets.dropAll(kind, sharedId)],
  };
};

/** By the words of the table in docs/specification/sign-in.md. */
export const stateKinds: Readonly<Record<string, Kind<StateStore>>> = {
  sessions: {
    write: (store) => store.sessions.begin(session, long, many, ''),
    read: async (store) => store.sessions.find(session.id),
    nothing: undefined,
    end: async ({ sessions }) => {
      const request = { from: 'x', to: 'y', client: '', leeway: 0, at };
      return [await sessions.rotate(session.id, request), await sessions.end(session.id, sharedId)];
    },
  },
  'lists of sessions': {
    write: (store) => store.sessions.begin(session, long, many, ''),
    read: (store) => store.sessions.of(sharedId),
    nothing: [],
    end: async (store) => expect(await store.sessions.endAll(sharedId)).toEqual([]),
  },
  '`max_active`': {
    write: (store) => store.sessions.begin(session, long, { most: 1, whenFull: 'reject_new' }, ''),
    read: async (store) => {
      const next = sessionOf(sharedId);
      const begun = await store.sessions.begin(next, long, { most: 1, whenFull: 'reject_new' }, '');
      if (begun !== 'full') await store.sessions.end(next.id, sharedId);
      return begun;
    },
    nothing: { ended: [] },
  },
  'generations of credentials': {
    write: (store) => store.sessions.endAll(sharedId),
    read: (store) => store.sessions.generation(sharedId),
    nothing: '',
  },
  'tokens that were used': {
    write: (store) => store.sessions.firstUse('refresh:1', 60_000),
    // A look is a use: each service has a token of its own for it.
    read: (store) => store.sessions.firstUse('refresh:1', 60_000),
    nothing: true,
  },
  'links that reset a password': tickets('reset'),
  'challenges of a second factor': tickets('mfa'),
  'ceremonies of passkeys': tickets('passkey'),
  'sign-ins that are under way at a provider': tickets('provider'),
  'lock-outs': {
    write: async (store) => [
      await store.attempts.attempt('user:1', policy),
      await store.attempts.failed('user:1', policy),
    ],
    read: async (store) => {
      const attempt = await store.attempts.attempt('user:1', policy);
      if (attempt.allowed) await store.attempts.withdrawn('user:1');
      return attempt.allowed;
    },
    nothing: true,
    end: (store) => store.attempts.succeeded('user:1'),
  },
  limits: {
    write: async (store) => store.takeToken('login:ip:1', 0.001, 1),
    read: async (store) => (await store.takeToken('login:ip:1', 0.001, 1)).allowed,
    nothing: true,
  },
};

const email = 'ana@example.test';
const change: PasswordChange = { hash: hashOf('second'), changedAt: at + 1, keep: 5, expected: hashOf('first') };
const identity: LinkedIdentity = {
  provider: 'web',
  issuer: 'https://web.test',
  subject: 's',
  email,
  name: '',
  picture: '',
  linkedAt: at,
  updatedAt: at,
};
const passkey = {
  id: 'p',
  publicKey: 'k',
  counter: 0,
  name: 'n',
  transports: [],
  aaguid: 'a',
  backupEligible: false,
  backedUp: false,
  createdAt: at,
  lastUsedAt: undefined,
};
const device = { fingerprint: digest('device'), firstSeen: at, lastSeen: at };
const position = { latitude: 1, longitude: 2, accuracy: undefined, label: 'l', at };

/** Of a service that has an account with this id, as the other one has. By the words of the same table. */
export const accountKinds: Readonly<Record<string, Kind<AccountStore>>> = {
  'addresses, roles and passwords': {
    write: (store) => store.create(accountOf(email)),
    read: async (store) => (await store.byEmail(email))?.email,
    nothing: undefined,
  },
  'metadata and locks of accounts': {
    write: (store) => store.update(sharedId, { locked: true, metadata: { a: 1 }, emailVerified: true }, at),
    read: async (store) => {
      const account = await store.byId(sharedId);
      return [account?.locked, account?.metadata, account?.emailVerified];
    },
    nothing: [false, {}, false],
  },
  'authenticator apps': {
    write: async ({ factors }) => [
      await factors.beginTotp(sharedId, 's'),
      await factors.confirmTotp(sharedId, 's', 1, at),
    ],
    read: async ({ factors }) => [await factors.held(sharedId), await factors.totp(sharedId)],
    nothing: [{ totp: false, passkeys: 0, recoveryCodes: 0 }, undefined],
    end: async ({ factors }) => [await factors.useTotpStep(sharedId, 9), await factors.removeTotp(sharedId)],
  },
  passkeys: {
    write: (store) => store.factors.addPasskey(sharedId, passkey, 5),
    read: async ({ factors }) => [await factors.passkeys(sharedId), await factors.passkey(passkey.id)],
    nothing: [[], undefined],
    end: async ({ factors }) => [
      await factors.usePasskey(passkey.id, { from: 0, counter: 5, backedUp: true, at }),
      await factors.removePasskey(sharedId, passkey.id),
    ],
  },
  'recovery codes': {
    write: (store) => store.factors.setRecoveryCodes(sharedId, ['c']),
    read: (store) => store.factors.recoveryCodes(sharedId),
    nothing: [],
    end: async ({ factors }) => [
      await factors.spendRecoveryCode(sharedId, 'c'),
      await factors.setRecoveryCodes(sharedId, []),
    ],
  },
  'linked identities': {
    write: (store) => store.identities.link(sharedId, identity),
    read: async ({ identities }) => [
      await identities.of(sharedId),
      await identities.find(identity.issuer, identity.subject),
    ],
    nothing: [[], undefined],
    end: async ({ identities }) => [
      await identities.update(identity.issuer, identity.subject, { ...identity, name: 'other' }),
      await identities.unlink(sharedId, 'web', false),
    ],
  },
  devices: {
    write: (store) => store.keepDevice(sharedId, device, 5),
    read: (store) => store.device(sharedId, device.fingerprint),
    nothing: undefined,
    end: (store) => store.keepDevice(sharedId, { ...device, fingerprint: digest('other') }, 1),
  },
  positions: {
    write: (store) => store.keepPosition(sharedId, position),
    read: (store) => store.position(sharedId),
    nothing: undefined,
    end: (store) => store.keepPosition(sharedId, { ...position, label: 'other' }),
  },
  'password history': {
    write: (store) => store.setPassword(sharedId, change),
    read: (store) => store.passwordHistory(sharedId, 5),
    nothing: [],
    end: (store) => store.setPassword(sharedId, { ...change, hash: hashOf('third'), keep: 1 }),
  },
  'signing keys': {
    write: (store) => store.addSigningKey({ id: 'k', privateKey: 'p', createdAt: at }, undefined),
    read: (store) => store.signingKeys(),
    nothing: [],
    end: async (store) => [
      await store.deleteSigningKey('k'),
      await store.addSigningKey({ id: 'k2', privateKey: 'p', createdAt: at }, undefined),
    ],
  },
};
