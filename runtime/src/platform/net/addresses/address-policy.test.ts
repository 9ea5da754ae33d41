import type { LookupAddress } from 'node:dns';
import { createServer } from 'node:http';
import { type AddressInfo, isIPv4 } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { HttpClient } from '../request.ts';
import { AddressPolicy } from './address-policy.ts';
import { internalKind } from './internal-address.ts';

const send = (client: HttpClient, origin: string, path = '/') =>
  client.send({ method: 'GET', origin, path, headers: [], deadline: 5_000 });

async function served(redirect?: string) {
  const hosts: (string | undefined)[] = [];
  const server = createServer(({ headers }, response) => {
    hosts.push(headers.host);
    if (redirect === undefined) response.end('internal');
    else response.writeHead(302, { location: redirect }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, hosts };
}

/** A resolver that gives these answers in turn. */
const resolving = (...answers: string[][]) => {
  const asked: string[] = [];
  const resolve: ConstructorParameters<typeof AddressPolicy>[1] = (name, _options, done) => {
    asked.push(name);
    const addresses = (answers.length > 1 ? answers.shift() : answers[0]) ?? [];
    done(
      null,
      addresses.map((address): LookupAddress => ({ address, family: isIPv4(address) ? 4 : 6 })),
    );
  };
  return { asked, resolve };
};

describe('S-75: a host that data decides', () => {
  test.each([
    '127.0.0.1',
    '127.255.255.254',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '017700000001',
    '１２７.0.0.1',
    '127。0。0。1',
    '127.0.0.1.',
    '0.0.0.0',
    '0',
    '10.0.0.1',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '100.100.100.200',
    '169.254.169.254',
    '2852039166',
    '0xa9fea9fe',
    '168.63.129.16',
    '198.18.0.1',
    '224.0.0.1',
    '239.255.255.250',
    '255.255.255.255',
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:10.0.0.1]',
    '[::ffff:0:127.0.0.1]',
    '[::127.0.0.1]',
    '[64:ff9b::169.254.169.254]',
    '[64:ff9b:1::1]',
    '[2002:7f00:1::]',
    '[2002:a9fe:a9fe::1]',
    '[2001:0:1::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[fe80::1]',
    '[febf::1]',
    '[fec0::1]',
    '[ff02::1]',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'LocalHost..',
    'a.localhost',
    '%6cocalhost',
    'ｌocalhost',
  ])('is not %s', async (host) => {
    const policy = new AddressPolicy([]);
    expect(() => policy.check(host)).toThrow(expect.objectContaining({ code: 'connector_refused', retriable: false }));
    const url = URL.parse(`http://${host}:1/`);
    if (url === null) return;
    const client = new HttpClient({ maxResponse: 10, addresses: policy });
    onTestFinished(() => client.close());
    await expect(send(client, url.origin)).rejects.toMatchObject({
      code: 'connector_refused',
      retriable: false,
      sent: false,
    });
    await expect(send(client, url.origin)).rejects.toThrow('not written in the configuration');
  });

  test.each([
    '8.8.8.8',
    '172.15.0.1',
    '172.32.0.1',
    '100.63.255.255',
    '100.128.0.1',
    '11.0.0.1',
    '169.253.1.1',
    '1.1.1.1',
  ])('may be %s', (host) => expect(() => new AddressPolicy([]).check(host)).not.toThrow());

  test.each([
    '[2606:4700::1111]',
    '[64:ff9b::8.8.8.8]',
    '[::ffff:8.8.8.8]',
    '[2002:808:808::1]',
    'example.org',
    'localhost.example.org',
  ])('may be %s', (host) => expect(() => new AddressPolicy([]).check(host)).not.toThrow());

  test.each(['', ' ', 'a b', '1.2.3.4.5', '999.1.1.1', '[::1', 'a/b:c@d e'])('is a host: "%s" is refused', (host) =>
    expect(() => new AddressPolicy([]).check(host)).toThrow('is refused'),
  );

  test.each([
    ['127.0.0.1'],
    ['10.1.2.3'],
    ['::1'],
    ['fe80::1%eth0'],
    ['::ffff:10.0.0.1'],
    ['93.184.216.34', '127.0.0.1'],
    ['2606:4700::1111', 'fd00::1'],
  ])('is not a name of %s', async (...addresses) => {
    const { asked, resolve } = resolving(addresses);
    const client = new HttpClient({ maxResponse: 10, addresses: new AddressPolicy([], resolve) });
    onTestFinished(() => client.close());
    await expect(send(client, 'http://shop.example.test:1')).rejects.toMatchObject({
      code: 'connector_refused',
      retriable: false,
      sent: false,
    });
    await expect(send(client, 'https://shop.example.test:1')).rejects.toThrow('"shop.example.test" is refused');
    expect(asked).toEqual(['shop.example.test', 'shop.example.test']);
  });

  test('is checked with the system resolver too, where a name of this machine resolves to loopback', async () => {
    const { port, hosts } = await served();
    const policy = new AddressPolicy([]);
    const answer = await new Promise<Error | null>((resolve) =>
      policy.lookup('localhost', {}, (error) => resolve(error)),
    );
    expect(answer).toMatchObject({ code: 'connector_refused' });
    const client = new HttpClient({ maxResponse: 10, addresses: policy });
    await expect(send(client, `http://localhost:${port}`)).rejects.toThrow('it is loopback');
    await client.close();
    expect(hosts).toEqual([]);
  });

  test('is connected to at the address that was checked: a later answer gains nothing', async () => {
    const { port, hosts } = await served();
    // The second answer would lead to the server; it is asked for with a second connection only, and refused there.
    const { asked, resolve } = resolving(['127.0.0.1'], ['127.0.0.2']);
    const client = new HttpClient({
      maxResponse: 10,
      connections: 1,
      addresses: new AddressPolicy(['127.0.0.1'], resolve),
    });
    const answer = await send(client, `http://shop.example.test:${port}`);
    expect([answer.body.toString(), hosts, asked]).toEqual([
      'internal',
      [`shop.example.test:${port}`],
      ['shop.example.test'],
    ]);
    await client.close();
    const second = new HttpClient({ maxResponse: 10, addresses: new AddressPolicy(['127.0.0.1'], resolve) });
    await expect(send(second, `http://shop.example.test:${port}`)).rejects.toThrow('it is loopback');
    await second.close();
    expect(hosts).toHaveLength(1);
  });

  test('is not reached by a redirect', async () => {
    const inside = await served();
    const outside = await served(`http://127.0.0.1:${inside.port}/`);
    const { resolve } = resolving(['127.0.0.1']);
    const client = new HttpClient({ maxResponse: 10, addresses: new AddressPolicy(['shop.example.test'], resolve) });
    await expect(send(client, `http://shop.example.test:${outside.port}`)).rejects.toThrow(
      'another origin are not followed',
    );
    await client.close();
    expect(inside.hosts).toEqual([]);
  });
});

describe('what the configuration allows', () => {
  test.each([
    [['127.0.0.1'], '127.0.0.1', true],
    [['127.0.0.1'], '127.0.0.2', false],
    [['10.0.0.0/8'], '10.9.9.9', true],
    [['10.0.0.0/8'], '11.0.0.1', true],
    [['10.0.0.0/8'], '192.168.0.1', false],
    [['fd00::/8'], '[fd12::1]', true],
    [['fd00::/8'], '[fe80::1]', false],
    [['::1'], '[::1]', true],
    [['[::1]'], '[0:0::1]', true],
    [['localhost'], 'LOCALHOST.', true],
    [['localhost'], 'a.localhost', false],
    [['localhost'], '127.0.0.1', false],
    [['Keys.Internal.'], 'keys.internal', true],
  ])('%j and %s: %s', (allowed, host, passes) => {
    const policy = new AddressPolicy(allowed);
    if (passes) expect(() => policy.check(host)).not.toThrow();
    else expect(() => policy.check(host)).toThrow('is refused');
  });

  test('a host that it writes may be any, also by its name', async () => {
    const { port } = await served();
    for (const host of ['127.0.0.1', 'localhost']) {
      const url = `http://${host}:${port}/keys`;
      const client = new HttpClient({ maxResponse: 10, addresses: AddressPolicy.forWritten(url) });
      expect((await send(client, new URL(url).origin)).body.toString()).toBe('internal');
      await client.close();
    }
  });

  test.each(['http://{ip}/x', 'http://{ip}.localhost/x', 'http://127.0.0.1{ip}/x', 'nonsense'])(
    'a host that is filled in is not written: %s',
    (url) => expect(() => AddressPolicy.forWritten(url).check('localhost')).toThrow('is refused'),
  );
});

test('everything that is not an address is refused as such', () => {
  for (const text of ['', 'localhost', '1.2.3', '::g', '127.0.0.1/8'])
    expect(internalKind(text)).toBe('not an address');
});
