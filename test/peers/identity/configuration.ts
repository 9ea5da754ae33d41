import { type Client, written } from './clients.ts';
import type { Provider } from './provider.ts';
import type { Receivers } from './receivers.ts';

/** The ways in which a machine calls others, each with what its step answers. */
export const machines = {
  http: {
    connector: ({ address }: Receivers) => `type = "http"\nbase_url = "${address}"`,
    operation: 'GET /',
    answers: (client: string): unknown => ({ data: { client } }),
  },
  graphql: {
    connector: ({ address }: Receivers) => `type = "graphql"\ndriver = "client"\nendpoint = "${address}/"`,
    operation: '{ client }',
    answers: (client: string): unknown => ({ client }),
  },
  soap: {
    connector: ({ address }: Receivers) => `type = "soap"\ndriver = "client"\nendpoint = "${address}/"`,
    operation: 'Mine',
    answers: (client: string): unknown => ({ client }),
  },
  grpc: {
    connector: ({ grpc }: Receivers) =>
      `type = "grpc"\ndriver = "client"\ntarget = "${grpc}"\nconnect_timeout = "60s"\nproto_path = "./proto"`,
    operation: 'machine.Names/Mine',
    answers: (client: string): unknown => ({ client }),
  },
} as const;

/** Drivers of the connector by which people connect an account. */
export const drivers = ['oidc', 'web_idp', 'custom'] as const;

/** A public client has no grant of its own. */
export const isMachine = ({ method }: Client): boolean => method !== 'none';

/** Where the provider may send browsers back to. */
export function returns(self: string, known: readonly Client[]): string[] {
  const connected = known.flatMap(({ label }) => drivers.map((driver) => `${self}/callback/${driver}_${label}`));
  return [...connected, `${self}/auth/sso/callback`, `${self}/auth/social/callback`];
}

const tls = 'tls {\nca_cert = "ca.pem"\ncert = "client.pem"\nkey = "client.key"\n}';

interface Place {
  readonly self: string;
  readonly port: number;
  readonly guardedPort: number;
}

export function configuration(provider: Provider, receivers: Receivers, place: Place): string {
  const { clients, issuer } = provider;
  return [
    `service {\nname = "shop"\nadmin_port = env("ADMIN_PORT")\n}`,
    `connector "api" {\ntype = "rest"\nport = ${place.port}\n}`,
    guarded(provider, place.guardedPort),
    ...clients.filter(isMachine).flatMap((client) => machineFlows(provider, receivers, client)),
    ...clients.flatMap((client) => drivers.map((driver) => connection(provider, place.self, driver, client))),
    flow('who', 'api', 'GET /who', 'require {}\nresponse {\nid = "auth.user_id"\nemail = "auth.email"\n}'),
    `auth {
      preset = "development"
      base_url = "${place.self}"
      jwt {
        secret = "only-for-this-machine-32-bytes-long"
      }
      ${clients.map((client) => `oidc "${client.label}" {\nissuer = "${issuer}"\n${written(client)}\n${tls}\n}`).join('\n')}
      social {
        web_idp {
          issuer = "${issuer}"
          ${written(clients[0] as Client)}
          ${tls}
        }
      }
      provider "company" {
        type = "http"
        validate = "${provider.endpoints.profile}"
        request = {
          Authorization = "Bearer {token}"
        }
        response {
          success = "status == 200"
          user_id = "body.sub"
          email = "body.email"
        }
      }
    }`,
  ].join('\n');
}

/** A server that the tokens of the provider open. */
function guarded({ issuer, keySet, audience }: Provider, port: number): string {
  const auth = `type = "jwt"\njwks_url = "${keySet}"\nissuer = "${issuer}"\naudience = ["${audience}"]`;
  const answer = 'response {\nissuer = "auth.claims.iss"\n}';
  return `connector "guarded" {\ntype = "rest"\nport = ${port}\nauth {\n${auth}\n}\n}\n${flow('guarded', 'guarded', 'GET /guarded', answer)}`;
}

function machineFlows({ endpoints }: Provider, receivers: Receivers, client: Client): string[] {
  const auth = `auth {\ntype = "client_credentials"\ntoken_url = "${endpoints.token}"\n${written(client)}\n}`;
  return Object.entries(machines).map(([kind, { connector, operation }]) => {
    const name = `${kind}_${client.label}`;
    const step = `step "asked" {\nconnector = "${name}"\noperation = "${operation}"\n}\nresponse {\nbody = "step.asked"\n}`;
    const made = `connector "${name}" {\n${connector(receivers)}\n${tls}\n${auth}\n}`;
    return `${made}\n${flow(name, 'api', `GET /machine/${name}`, step)}`;
  });
}

function connection({ endpoints, issuer }: Provider, self: string, driver: string, client: Client): string {
  const name = `${driver}_${client.label}`;
  const custom = [
    `auth_url = "${endpoints.authorize}"`,
    `token_url = "${endpoints.token}"`,
    `userinfo_url = "${endpoints.profile}"`,
  ];
  const at = driver === 'custom' ? custom.join('\n') : `issuer = "${issuer}"`;
  const said = `redirect_uri = "${self}/callback/${name}"\nscopes = ["openid", "email", "profile", "offline_access"]`;
  const step = (operation: string, params: Readonly<Record<string, string>>) =>
    `step "s" {\nconnector = "${name}"\noperation = "${operation}"\nparams = {\n${Object.entries(params)
      .map(([key, value]) => `${key} = "${value}"`)
      .join('\n')}\n}\n}\nresponse {\nbody = "step.s"\n}`;
  const come = Object.fromEntries(['code', 'state', 'iss', 'error'].map((key) => [key, `input.${key} ?? ''`]));
  return [
    `connector "${name}" {\ntype = "oauth"\ndriver = "${driver}"\n${at}\n${written(client)}\n${said}\n${tls}\n}`,
    flow(`begin_${name}`, 'api', `GET /begin/${name}`, step('authorize', {})),
    flow(`end_${name}`, 'api', `GET /callback/${name}`, step('callback', come)),
    flow(`renew_${name}`, 'api', `POST /renew/${name}`, step('refresh', { refresh_token: 'input.refresh_token' })),
    flow(`profile_${name}`, 'api', `POST /profile/${name}`, step('userinfo', { access_token: 'input.access_token' })),
  ].join('\n');
}

const flow = (name: string, connector: string, operation: string, rest: string): string =>
  `flow "${name}" {\nfrom {\nconnector = "${connector}"\noperation = "${operation}"\n}\n${rest}\n}`;
