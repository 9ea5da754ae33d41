import { createHash } from 'node:crypto';
import type { Project } from '@svc/protocol/model';
import { dialectOf } from '../../connectors/database/engines.ts';
import type { Connector } from '../../foundation/contracts/connector.ts';
import type { Recognise } from '../../foundation/contracts/http.ts';
import type { BoundPlan, PlanServices, Runner } from '../../foundation/contracts/plan.ts';
import type { Log } from '../../foundation/observe/log.ts';
import { productVersion } from '../../foundation/version.ts';
import { ClientAddress } from '../../platform/http/admission/client-address.ts';
import { trustedProxiesOf } from '../../platform/http/admission/trusted-proxies.ts';
import { firstOfAddresses } from '../../platform/http/routes/beside.ts';
import { addressOf } from '../../platform/net/redis/address.ts';
import { isProcessLocal } from '../../platform/sync/storage-spec.ts';
import { AuditTable } from '../auth/audit/table.ts';
import { noTrail } from '../auth/audit/trail.ts';
import { AuditWriter } from '../auth/audit/writer.ts';
import { composeAuth, hasKeyOfOneProcess } from '../auth/compose.ts';
import { authMount } from '../auth/endpoints/mount.ts';
import { LatestProviders } from '../auth/external/latest.ts';
import type { ExternalServices } from '../auth/external/provider.ts';
import { ExternalProviders } from '../auth/external/providers.ts';
import { IdentityProviders } from '../auth/federated/providers/providers.ts';
import { Hooks } from '../auth/hooks/hooks.ts';
import { Geolocation, placeSource } from '../auth/protection/geolocation.ts';
import { Recogniser } from '../auth/recogniser.ts';
import { SessionEndings } from '../auth/sessions/endings.ts';
import { type AuthSettings, settingsOf } from '../auth/settings.ts';
import { auth } from '../auth/spec.ts';
import type { AccountStore } from '../auth/store/accounts.ts';
import { MemoryAccountStore } from '../auth/store/memory/accounts.ts';
import { MemoryStateStore } from '../auth/store/memory/state.ts';
import { RedisStateServer } from '../auth/store/redis/server.ts';
import { RedisStateStore } from '../auth/store/redis/state.ts';
import { RelationalAccountStore } from '../auth/store/relational/accounts.ts';
import type { StateStore } from '../auth/store/state.ts';
import { service } from '../settings/spec.ts';
import { compileExternalProviders } from './external-providers.ts';
import { compileHooks, type HookParts } from './hooks.ts';
import { serviceNameOf } from './service-name.ts';

/** The sign-in system of one generation. */
interface BoundAuth {
  readonly recognise: Recognise;
  readonly runners: readonly Runner[];
  readonly mounts: BoundPlan['mounts'];
}

/** The name of the sign-in system among connectors, none of which can have it. */
const name = 'auth.endpoints';

const keyOfOneProcess =
  'the key of the tokens serves this process alone: a restart makes another one, and so does each further process';
const keyRemedy = 'keep it with the accounts (auth { users { connector } }), or write jwt { private_key }';

/** The sign-in system that the root block `auth` configures; undefined where it is not written. */
export function bindAuth(
  project: Project,
  parts: HookParts,
  connectors: ReadonlyMap<string, Connector>,
  services: PlanServices,
): BoundAuth | undefined {
  const written = project.one('auth', auth);
  if (written === undefined) return undefined;
  const settings = settingsOf(written);
  const accounts = accountStoreOf(settings, project, connectors, services);
  const { families } = services;
  const audit = auditWriterOf(settings, project, connectors, {
    ...services,
    failed: () => {
      families.authAuditErrors.of().value++;
    },
  });
  const places = placesOf(settings, services);
  const hasProviders = settings.social !== undefined || settings.oidc.length > 0;
  const asking = { ...services, userAgent: `svc/${productVersion}` };
  const providers = hasProviders ? new IdentityProviders(settings, asking) : undefined;
  const external = externalOf(settings, project, parts, asking);
  const state = stateStoreOf(settings, accounts, services);
  const serviceName = serviceNameOf(project);
  const system = composeAuth({
    settings,
    serviceName,
    accounts,
    state,
    endings: services.share('auth:endings', () => new SessionEndings(), 'auth'),
    hooks: new Hooks(compileHooks(settings, parts), services),
    audit: audit ?? noTrail,
    places,
    providers,
    clock: services.clock,
    log: services.log,
    limitsAlone: limitsAloneIn(services),
  });
  const recogniser = new Recogniser(system.tokens, system.sessions, accounts, services.clock, external);
  const addresses = new ClientAddress(trustedProxiesOf(project.one('service', service)));
  const serves = (connector: string) => project.connectors.get(connector)?.spec?.source?.routes === true;
  return {
    recognise: recogniser.recognise,
    runners: [
      {
        name,
        start: async () => {
          if (hasKeyOfOneProcess(settings)) services.log.warn(keyOfOneProcess, { help: keyRemedy });
          await Promise.all([
            accounts.open(new AbortController().signal),
            audit?.open(),
            places?.open(),
            providers?.open(),
            external?.open(),
          ]);
          services.background('auth.storage', () => nameSharers(state, settings, serviceName, services.log));
        },
        stop: async () => {
          await Promise.all([audit?.stop(), providers?.close(), external?.close()]);
        },
      },
    ],
    mounts: [
      async (besides) =>
        firstOfAddresses(besides.filter(({ connector }) => serves(connector))).map((mount) =>
          authMount(mount, besides, { name, system, recogniser, addresses }),
        ),
    ],
  };
}

function externalOf(
  settings: AuthSettings,
  project: Project,
  { expressions }: HookParts,
  services: ExternalServices & Pick<PlanServices, 'share'>,
): ExternalProviders | undefined {
  if (settings.provider.length === 0) return undefined;
  const latest = services.share('auth:external', () => new LatestProviders(), 'auth');
  const providers = compileExternalProviders(settings, expressions, project.constants);
  return new ExternalProviders({ providers, mfa: settings.mfa, latest }, services);
}

/** Where the accounts of a configuration are kept. It is opened after its connector. */
export function accountStoreOf(
  { users }: AuthSettings,
  project: Project,
  connectors: ReadonlyMap<string, Connector>,
  { share, log }: Pick<PlanServices, 'share' | 'log'>,
): AccountStore {
  if (users === undefined) return share('auth:accounts:memory', () => new MemoryAccountStore(), 'auth');
  const connector = connectors.get(users.connector);
  const dialect = dialectOf(project.connectors.get(users.connector)?.spec)?.runtimeTables;
  if (connector === undefined || dialect === undefined)
    throw new Error(`connector "${users.connector}" cannot keep accounts`);
  return new RelationalAccountStore({ connector, dialect, users, log });
}

/** Writes the records that a configuration asks for; undefined where it asks for none. `failed` counts what was not written. */
export function auditWriterOf(
  { audit: written }: AuthSettings,
  project: Project,
  connectors: ReadonlyMap<string, Connector>,
  { clock, log, failed }: Pick<PlanServices, 'clock' | 'log'> & { readonly failed: () => void },
): AuditWriter | undefined {
  if (written === undefined || !written.enabled) return undefined;
  const connector = connectors.get(written.connector);
  const dialect = dialectOf(project.connectors.get(written.connector)?.spec)?.runtimeTables;
  if (connector === undefined || dialect === undefined)
    throw new Error(`connector "${written.connector}" cannot keep records`);
  const { table: name, events, required } = written;
  const table = new AuditTable({ connector, dialect, table: name });
  return new AuditWriter({ table, events, required, clock, log, failed });
}

function placesOf(
  { impossible_travel: { enabled, geoip } }: AuthSettings,
  { directory, clock, log }: PlanServices,
): Geolocation | undefined {
  return enabled && geoip !== undefined ? new Geolocation(placeSource(geoip, directory), clock, log) : undefined;
}

/** Counts limits that were taken without the shared store, and shows it in the health of the service. */
function limitsAloneIn({ families, degrade }: PlanServices): (alone: boolean) => void {
  return (alone) => {
    if (alone) families.rateLimitStoreErrors.of().value++;
    degrade('auth', alone ? 'the store of its limits is unavailable, each process limits alone' : undefined);
  };
}

/** Equal settings are one store, so that a reload ends no session. Another table of accounts is another store. */
export function stateStoreOf(
  settings: AuthSettings,
  accounts: AccountStore,
  { share, clock, log }: Pick<PlanServices, 'share' | 'clock' | 'log'>,
): StateStore {
  const { storage, users } = settings;
  if (storage === undefined || isProcessLocal(storage)) {
    const place = users === undefined ? '' : `:${users.connector}:${users.table}`;
    return share(`auth:state:memory${place}`, () => new MemoryStateStore(clock), 'auth');
  }
  const address = addressOf(storage);
  const key = createHash('sha256').update(JSON.stringify(address)).digest('hex');
  const make = () => new RedisStateServer('the store of auth', address, log);
  const server = share(`auth:state:redis:${key}`, make, 'auth');
  const { sessions, password, mfa, brute_force: brute } = settings;
  const lifetime = Math.max(
    sessions.absolute_timeout,
    password.reset_token_ttl,
    mfa.challenge_ttl,
    brute.lockout_time,
    brute.window,
  );
  return new RedisStateStore(server, { accounts, prefix: storage.prefix, lifetime, clock });
}

const sharedScope = 'sessions, locks and links of sign-in are shared with every service of this scope';
const mixedAccounts =
  'sessions, locks and links of sign-in are shared with services that have other accounts: who has an id in one table is taken for who has it in another';
const mixedRemedy =
  'give each table of accounts a prefix of its own, or none; share one only where an id is the same person everywhere';

/** Says which services share a state: on purpose where the scope is written, or since they have one table of accounts. */
async function nameSharers(state: StateStore, { storage }: AuthSettings, service: string, log: Log): Promise<void> {
  const { services, otherAccounts } = await state.enter(service);
  const said = { scope: state.scope, ...(services.length > 0 && { services }) };
  if (otherAccounts) log.warn(mixedAccounts, { ...said, help: mixedRemedy });
  else if (storage?.prefix !== undefined || services.length > 0) log.info(sharedScope, said);
}
