import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { recordingLog } from '../../../../../test/support/connector-services.ts';
import { folderWith } from '../../../../../test/support/folder.ts';
import type { Failure } from '../../../foundation/errors/failure.ts';
import { systemClock } from '../../../foundation/observe/clock.ts';
import { chainedCredentials } from './chain.ts';
import type { Credentials } from './credentials.ts';
import { sharedRegion } from './profile.ts';
import { RenewingCredentials } from './renewing.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** A server of metadata; what it was asked is in `seen`. */
async function metadata(answer: (request: IncomingMessage, body: string) => readonly [status: number, body: string]) {
  const seen: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += String(piece);
    seen.push(`${request.method} ${request.url}`);
    const [status, said] = answer(request, body);
    response.writeHead(status).end(said);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => new Promise((resolve) => server.close(resolve)));
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const none = { AWS_EC2_METADATA_DISABLED: 'true' } as const;

/** Credentials of surroundings; `files` are below the folder of the user. */
function find(variables: Readonly<Record<string, string>>, files: Readonly<Record<string, string>> = {}) {
  return chainedCredentials(around(variables, files));
}

function around(variables: Readonly<Record<string, string>>, files: Readonly<Record<string, string>> = {}) {
  const home = folderWith();
  mkdirSync(join(home, '.aws'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, '.aws', name), text);
  return {
    variables: { ...none, ...variables },
    home,
    region: 'eu-central-1',
    clock: systemClock,
    log: recordingLog(),
  };
}

async function failureOf(work: Promise<unknown>): Promise<Failure> {
  return work.then(
    () => expect.fail('it did not fail'),
    (error: Failure) => error,
  );
}

const until = '2099-01-01T00:00:00Z';
const given = { AccessKeyId: 'AK', SecretAccessKey: 'SK', Token: 'T', Expiration: until };
const found: Credentials = { accessKey: 'AK', secretKey: 'SK', sessionToken: 'T', expires: Date.parse(until) };

describe('the environment', () => {
  const own = { AWS_ACCESS_KEY_ID: 'A', AWS_SECRET_ACCESS_KEY: 'S' };
  test('is the first place', async () => {
    const files = { credentials: '[default]\naws_access_key_id = F\naws_secret_access_key = G\n' };
    expect(await find({ ...own, AWS_SESSION_TOKEN: 'T' }, files)).toEqual({
      accessKey: 'A',
      secretKey: 'S',
      sessionToken: 'T',
      expires: undefined,
    });
  });
  test('needs both keys', async () => {
    expect((await failureOf(find({ AWS_ACCESS_KEY_ID: 'A' }))).message).toContain('there are no credentials');
  });
});

describe('shared files', () => {
  const credentials =
    '# keys\n[default]\naws_access_key_id = A\naws_secret_access_key=S=1 \n\n[other]\naws_access_key_id=B\naws_secret_access_key=S\naws_session_token=T\n';
  test('have the keys of a profile', async () => {
    expect(await find({}, { credentials })).toMatchObject({ accessKey: 'A', secretKey: 'S=1' });
    expect(await find({ AWS_PROFILE: 'other' }, { credentials })).toMatchObject({ accessKey: 'B', sessionToken: 'T' });
    const { message } = await failureOf(find({ AWS_PROFILE: 'third' }, { credentials }));
    expect(message).toBe('credentials: there is no profile "third" (AWS_PROFILE)');
  });
  test('are where the environment says', async () => {
    const file = join(folderWith(), 'keys');
    writeFileSync(file, credentials);
    expect(await find({ AWS_SHARED_CREDENTIALS_FILE: file })).toMatchObject({ accessKey: 'A' });
  });
  test('have a region, by the name that profiles have in the other file', async () => {
    const config = '[default]\nregion = eu-west-1\n[profile other]\nregion = eu-west-2\ns3 =\n  region = nested\n';
    expect(await sharedRegion(around({}, { config }))).toBe('eu-west-1');
    expect(await sharedRegion(around({ AWS_PROFILE: 'other' }, { config }))).toBe('eu-west-2');
  });
  test.each(['credential_process = /bin/x', 'sso_session = y', 'role_arn = r\nsource_profile = z'])(
    'that use %s are refused by name',
    async (line) => {
      const { message } = await failureOf(find({}, { config: `[default]\n${line}\n` }));
      expect(message).toMatch(/credential_process|sso_session|source_profile/);
    },
  );
});

describe('a web identity', () => {
  const answer = `<R xmlns="x"><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>AK</AccessKeyId><SecretAccessKey>SK</SecretAccessKey><SessionToken>T</SessionToken><Expiration>${until}</Expiration></Credentials></AssumeRoleWithWebIdentityResult></R>`;
  async function role(status: number, said: string) {
    const bodies: string[] = [];
    const { url } = await metadata((_, body) => {
      bodies.push(body);
      return [status, said];
    });
    const file = join(folderWith(), 'token');
    writeFileSync(file, 'the.web.token\n');
    const variables = { AWS_WEB_IDENTITY_TOKEN_FILE: file, AWS_ROLE_ARN: 'arn:r', AWS_ENDPOINT_URL_STS: url };
    return { variables, bodies };
  }
  test('is exchanged for the credentials of a role', async () => {
    const { variables, bodies } = await role(200, answer);
    expect(await find(variables)).toEqual(found);
    expect(Object.fromEntries(new URLSearchParams(bodies[0]))).toEqual({
      Action: 'AssumeRoleWithWebIdentity',
      Version: '2011-06-15',
      RoleArn: 'arn:r',
      RoleSessionName: 'svc',
      WebIdentityToken: 'the.web.token',
    });
  });
  test('A-11: that is refused is reported without the token', async () => {
    const { variables } = await role(
      400,
      '<R><Error><Code>InvalidIdentityToken</Code><Message>the.web.token</Message></Error></R>',
    );
    const { message } = await failureOf(find(variables));
    expect(message).toBe('credentials: the role "arn:r" is refused: InvalidIdentityToken');
  });
});

describe('a container', () => {
  test('gives them at the address of the environment, to those who have its token', async () => {
    const { url, seen } = await metadata(({ headers }) =>
      headers.authorization === 'pod-token' ? [200, JSON.stringify(given)] : [401, ''],
    );
    const file = join(folderWith(), 'token');
    writeFileSync(file, 'pod-token\n');
    const whole = { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/v1/credentials` };
    expect(await find({ ...whole, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file })).toEqual(found);
    expect(await find({ ...whole, AWS_CONTAINER_AUTHORIZATION_TOKEN: 'pod-token' })).toEqual(found);
    expect((await failureOf(find(whole))).message).toBe('credentials: the container answered HTTP 401');
    expect(seen[0]).toBe('GET /v1/credentials');
  });
  test.each([
    'http://169.254.169.254/x',
    'http://10.0.0.1/x',
    'http://example.org/x',
    'file:///etc/passwd',
    'http://127.0.0.1.example.org/',
  ])('S-75: is not asked at %s', async (address) => {
    const { message } = await failureOf(find({ AWS_CONTAINER_CREDENTIALS_FULL_URI: address }));
    expect(message).toContain('AWS_CONTAINER_CREDENTIALS_FULL_URI is neither');
  });
  test.each(['//example.org/x', 'http://example.org/x', '\\\\example.org'])(
    'S-75: nor at another host by the path %s',
    async (path) => {
      const { message } = await failureOf(find({ AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: path }));
      expect(message).toBe('credentials: AWS_CONTAINER_CREDENTIALS_RELATIVE_URI is not a path');
    },
  );
});

describe('an instance', () => {
  test('S-75: gives them to those who have asked for a token first', async () => {
    const { url, seen } = await metadata(({ method, url: path, headers }) => {
      if (method === 'PUT')
        return headers['x-aws-ec2-metadata-token-ttl-seconds'] ? [200, 'instance-token'] : [400, ''];
      if (headers['x-aws-ec2-metadata-token'] !== 'instance-token') return [401, ''];
      return path?.endsWith('/security-credentials/') ? [200, 'my role\nother'] : [200, JSON.stringify(given)];
    });
    const variables = { AWS_EC2_METADATA_DISABLED: '', AWS_EC2_METADATA_SERVICE_ENDPOINT: url };
    expect(await find(variables)).toEqual(found);
    expect(seen).toEqual([
      'PUT /latest/api/token',
      'GET /latest/meta-data/iam/security-credentials/',
      'GET /latest/meta-data/iam/security-credentials/my%20role',
    ]);
  });
  test('without a role gives nothing, and what gives no token is not asked further', async () => {
    const { url, seen } = await metadata(() => [403, '']);
    const variables = { AWS_EC2_METADATA_DISABLED: '', AWS_EC2_METADATA_SERVICE_ENDPOINT: url };
    expect((await failureOf(find(variables))).message).toBe(
      'there are no credentials: write access_key and secret_key, or give them by one of environment, shared files, web identity, container, instance',
    );
    expect(seen).toEqual(['PUT /latest/api/token']);
  });
});

describe('credentials that end', () => {
  const never = new AbortController().signal;
  const until = (ms: number): Credentials => ({ ...found, expires: systemClock.now() + ms });

  test('are fetched once for many, again before they end, and when they are refused', async () => {
    let fetched = 0;
    let next = until(3_600_000);
    const source = new RenewingCredentials(
      async () => {
        fetched++;
        return next;
      },
      systemClock,
      recordingLog(),
    );
    const all = await Promise.all([source.get(never), source.get(never), source.get(never)]);
    expect([new Set(all).size, fetched]).toEqual([1, 1]);
    const [first = expect.fail('nothing was fetched')] = all;
    expect([source.refused(first), source.refused(first)]).toEqual([true, true]);
    next = until(60_000);
    expect(await source.get(never)).toBe(next);
    const soon = next;
    next = until(3_600_000);
    expect(await source.get(never)).toBe(soon);
    await expect.poll(() => source.get(never)).toBe(next);
    expect(fetched).toBe(3);
  });

  test('that cannot be renewed are used as long as they are valid, and the failure is logged', async () => {
    const log = recordingLog();
    let fails = false;
    const source = new RenewingCredentials(
      async () => {
        if (fails) throw new Error('away');
        return until(60_000);
      },
      systemClock,
      log,
    );
    const first = await source.get(never);
    fails = true;
    expect(await source.get(never)).toBe(first);
    await expect.poll(() => log.lines.map(({ level }) => level)).toEqual(['warn']);
    source.refused(first);
    await expect(source.get(never)).rejects.toThrow('away');
  });

  test('a caller that goes does not end the fetch of the others', async () => {
    const { promise, resolve } = Promise.withResolvers<Credentials>();
    const source = new RenewingCredentials(() => promise, systemClock, recordingLog());
    const stop = new AbortController();
    const [gone, stays] = [source.get(stop.signal), source.get(never)];
    stop.abort(new Error('gone'));
    await expect(gone).rejects.toThrow('gone');
    resolve(found);
    expect(await stays).toBe(found);
  });
});
