import { type Answer, allIn, readXml, textIn } from '../answer.ts';
import type { Credentials } from './credentials.ts';
import { ask, asRefusal, credentialsOf, refused, type Surroundings, textOf } from './surroundings.ts';

/** Who takes a role by a token of an identity provider. */
export interface WebIdentity {
  /** Path of the token, which its issuer replaces from time to time. */
  readonly file: string;
  readonly role: string;
  readonly session: string | undefined;
}

/** Those of a role that the environment names with a token, as clusters of containers do. */
export async function webIdentityCredentials(around: Surroundings): Promise<Credentials | undefined> {
  const { AWS_WEB_IDENTITY_TOKEN_FILE: file, AWS_ROLE_ARN: role, AWS_ROLE_SESSION_NAME: session } = around.variables;
  return file && role ? assumeRole(around, { file, role, session }) : undefined;
}

/** Exchanges a token for credentials (AWS STS, AssumeRoleWithWebIdentity). The request is not signed. */
export async function assumeRole(around: Surroundings, { file, role, session }: WebIdentity): Promise<Credentials> {
  const token = await textOf(file);
  if (token === undefined) throw refused(`there is no token in ${file}`);
  const form = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: role,
    RoleSessionName: session || 'svc',
    WebIdentityToken: token.trim(),
  });
  const url = serviceOf(around);
  const headers = ['content-type', 'application/x-www-form-urlencoded'];
  const from = `the role "${role}"`;
  const answer = await ask(url, { method: 'POST', headers, body: form.toString(), deadline: 10_000 }).catch((error) => {
    throw asRefusal(error, from);
  });
  const said = await readXml(answer.body);
  if (answer.status >= 300) throw refused(`${from} is refused: ${codeIn(said) ?? `HTTP ${answer.status}`}`);
  const [result] = allIn(said, 'AssumeRoleWithWebIdentityResult');
  const [credentials] = allIn(result ?? {}, 'Credentials');
  return credentialsOf(credentials ?? {}, 'SessionToken', from);
}

function serviceOf({ variables, region }: Surroundings): URL {
  const written = variables['AWS_ENDPOINT_URL_STS'];
  if (!written) return new URL(`https://sts.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}/`);
  const url = URL.parse(written);
  if (url === null || !/^https?:$/.test(url.protocol)) throw refused('AWS_ENDPOINT_URL_STS is not an address');
  return url;
}

/** The code of an error; its text may repeat the token. */
function codeIn(said: Answer): string | undefined {
  const [error] = allIn(said, 'Error');
  return error && textIn(error, 'Code');
}
