import type { HttpRequest } from '../../net/client/http-request.ts';
import type { Credentials } from './credentials.ts';
import { ask, asRefusal, credentialsIn, refused, type Surroundings } from './surroundings.ts';

const from = 'the instance';
/** Milliseconds: where there is no such address, nothing answers. */
const deadline = 1_500;
const roles = '/latest/meta-data/iam/security-credentials/';

/**
 * Those of the role of a virtual machine (EC2 instance metadata, version 2: with a token, so that a proxy cannot be made to
 * ask). Undefined where nothing answers at that address.
 */
export async function instanceCredentials({ variables }: Surroundings): Promise<Credentials | undefined> {
  if (variables['AWS_EC2_METADATA_DISABLED']?.toLowerCase() === 'true') return undefined;
  const base = URL.parse(variables['AWS_EC2_METADATA_SERVICE_ENDPOINT'] || 'http://169.254.169.254');
  if (base === null || !/^https?:$/.test(base.protocol))
    throw refused('AWS_EC2_METADATA_SERVICE_ENDPOINT is not an address');
  const get = (path: string, method: HttpRequest['method'], headers: readonly string[]) =>
    ask(new URL(path, base), { method, headers, deadline });
  let token: string;
  try {
    const answer = await get('/latest/api/token', 'PUT', ['x-aws-ec2-metadata-token-ttl-seconds', '300']);
    if (answer.status !== 200) return undefined;
    token = answer.body.toString('latin1').trim();
    if (!/^[\x21-\x7e]{1,1024}$/.test(token)) throw refused(`${from} gave no token`);
  } catch {
    return undefined;
  }
  const headers = ['x-aws-ec2-metadata-token', token];
  try {
    const { status, body } = await get(roles, 'GET', headers);
    const [role = ''] = body.toString().split('\n');
    if (status === 404 || role.trim() === '') return undefined;
    const answer = await get(roles + encodeURIComponent(role.trim()), 'GET', headers);
    if (status !== 200 || answer.status !== 200) throw refused(`${from} answered HTTP ${answer.status}`);
    return credentialsIn(answer.body, from);
  } catch (error) {
    throw asRefusal(error, from);
  }
}
