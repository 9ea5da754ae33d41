import type { Credentials } from './credentials.ts';
import { ask, asRefusal, credentialsIn, refused, type Surroundings, textOf } from './surroundings.ts';

const from = 'the container';

/** Addresses that may be asked without TLS: the agents of ECS and EKS, and this machine. */
const local = /^(?:169\.254\.170\.2|169\.254\.170\.23|\[fd00:ec2::23\]|127(?:\.\d{1,3}){3}|\[::1\]|localhost)$/;

/** Those that the agent of a container gives (Amazon ECS task roles, EKS Pod Identity). */
export async function containerCredentials({ variables }: Surroundings): Promise<Credentials | undefined> {
  const { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: path, AWS_CONTAINER_CREDENTIALS_FULL_URI: whole } = variables;
  if (!path && !whole) return undefined;
  const url = path ? URL.parse(path, 'http://169.254.170.2') : URL.parse(whole as string);
  if (path && url?.host !== '169.254.170.2') throw refused('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI is not a path');
  if (url === null || (url.protocol !== 'https:' && !(url.protocol === 'http:' && local.test(url.hostname))))
    throw refused('AWS_CONTAINER_CREDENTIALS_FULL_URI is neither https:// nor the address of an agent');
  const token = await tokenOf(variables);
  const headers = ['accept', 'application/json', ...(token === undefined ? [] : ['authorization', token])];
  const answer = await ask(url, { method: 'GET', headers, deadline: 5_000 }).catch((error) => {
    throw asRefusal(error, from);
  });
  if (answer.status !== 200) throw refused(`${from} answered HTTP ${answer.status}`);
  return credentialsIn(answer.body, from);
}

async function tokenOf(variables: Surroundings['variables']): Promise<string | undefined> {
  const { AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file, AWS_CONTAINER_AUTHORIZATION_TOKEN: token } = variables;
  const found = file ? (await textOf(file))?.trim() : token;
  if (found !== undefined && /[\r\n]/.test(found)) throw refused('the token of the container has a line break');
  return found || undefined;
}
