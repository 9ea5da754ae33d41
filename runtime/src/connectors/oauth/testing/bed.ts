import { generateKeyPairSync } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { OpenIdStandIn } from '../../../../../test/support/servers/openid/stand-in.ts';
import type { ConnectorServices, Factory } from '../../../foundation/contracts/connector.ts';
import type { CallDescription, CallRequest } from '../../../foundation/contracts/target.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { TargetConnector } from '../../testing/target-conformance.ts';
import { create as createCodeHost } from '../code-host-idp/connector.ts';
import { codeHostIdp } from '../code-host-idp/spec.ts';
import { create as createCustom } from '../custom/connector.ts';
import { custom } from '../custom/spec.ts';
import { create as createDevice } from '../device-idp/connector.ts';
import { deviceIdp } from '../device-idp/spec.ts';
import { create as createOidc } from '../oidc/connector.ts';
import { oidc } from '../oidc/spec.ts';
import { create as createWeb } from '../web-idp/connector.ts';
import { webIdp } from '../web-idp/spec.ts';

export const redirectUri = 'https://shop.example.test/callback';
export const clientSecret = 'secret of app';

export const deviceKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const client = { client_id: 'app', client_secret: clientSecret, redirect_uri: redirectUri };

type Written = Readonly<Record<string, unknown>>;

/** Each driver: its spec and factory, and a block whose provider is at an address. */
export const drivers = {
  web_idp: { spec: webIdp, create: createWeb, written: (issuer: string) => ({ ...client, issuer }) },
  oidc: { spec: oidc, create: createOidc, written: (issuer: string) => ({ ...client, issuer }) },
  device_idp: {
    spec: deviceIdp,
    create: createDevice,
    written: (issuer: string) => ({
      client_id: 'app',
      redirect_uri: redirectUri,
      team_id: 'TEAM',
      key_id: 'KEY',
      private_key: String(deviceKeys.privateKey.export({ type: 'pkcs8', format: 'pem' })),
      issuer,
    }),
  },
  code_host_idp: {
    spec: codeHostIdp,
    create: createCodeHost,
    written: (url: string) => ({
      ...client,
      auth_url: `${url}/authorize`,
      token_url: `${url}/token`,
      userinfo_url: `${url}/user`,
      emails_url: `${url}/emails`,
    }),
  },
  custom: {
    spec: custom,
    create: createCustom,
    written: (url: string) => ({
      ...client,
      auth_url: `${url}/authorize`,
      token_url: `${url}/token`,
      userinfo_url: `${url}/userinfo`,
    }),
  },
} as const;

export type Driver = keyof typeof drivers;

/** A provider that is driven by hand; it ends with the test. */
export async function standIn(): Promise<OpenIdStandIn> {
  const provider = await OpenIdStandIn.start();
  onTestFinished(() => provider.stop());
  return provider;
}

/** A connector `login` that is not open. Its maker closes it. */
export function make(
  driver: Driver,
  url: string,
  written: Written = {},
  services: ConnectorServices = connectorServices(),
  name = 'login',
): TargetConnector {
  const { spec, create, written: usual } = drivers[driver];
  const config = configured(spec.config, { ...usual(url), ...written });
  return (create as unknown as Factory<never>)(name, config as never, services) as TargetConnector;
}

/** The same, open until the test ends. */
export async function opened(...made: Parameters<typeof make>): Promise<TargetConnector> {
  const connector = make(...made);
  onTestFinished(() => connector.close(AbortSignal.abort()));
  await connector.open(new AbortController().signal);
  return connector;
}

/** Asks as a step does. */
export async function ask<T = Record<string, unknown>>(
  connector: TargetConnector,
  operation: string,
  params: Written = {},
  request: CallRequest = {},
  call: Partial<CallDescription> = {},
): Promise<T> {
  const execute = connector.target.prepare({
    verb: 'call',
    operation,
    target: undefined,
    query: undefined,
    timeout: undefined,
    exact: false,
    flow: 'f',
    label: 'step "s"',
    ...call,
  });
  const { value } = await execute({ params, ...request });
  return value as T;
}

export interface Begun {
  readonly auth_url: string;
  readonly state: string;
}

export const begin = (connector: TargetConnector, params: Written = {}) => ask<Begun>(connector, 'authorize', params);

/** Why something fails: its code, whether trying again may help, and what it says. */
export async function refusal(work: Promise<unknown>): Promise<readonly [string, boolean, string]> {
  const failure = await work.then(
    () => new Error('it did not fail'),
    (error: unknown) => error as Error,
  );
  if (!(failure instanceof Failure)) throw failure;
  return [failure.code, failure.retriable, failure.message];
}
