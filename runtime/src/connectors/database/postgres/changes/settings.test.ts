import { chmodSync, chownSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Certificates, openssl } from '../../../../../../test/support/certificates.ts';
import { until } from '../../../../../../test/support/until.ts';
import type { Outcome } from '../../../../foundation/contracts/outcome.ts';
import { ChangeBed } from './testing/bed.ts';
import { type Cluster, hasCluster, startCluster } from './testing/cluster.ts';

const never = new AbortController().signal;
const reply: Outcome = { kind: 'reply', value: null };
type Written = Readonly<Record<string, unknown>>;

const certificates = mkdtempSync(join(tmpdir(), 'svc-certificates-'));

describe.skipIf(!hasCluster || openssl === undefined)('what is written of a source of changes', () => {
  let cluster: Cluster;
  let bed: ChangeBed;
  beforeAll(async () => {
    chmodSync(certificates, 0o755);
    const made = new Certificates(certificates);
    for (const authority of ['ca', 'other']) made.authority(authority);
    made.signed('server', '/CN=localhost', 'subjectAltName=DNS:localhost');
    made.signed('client', '/CN=certified', 'extendedKeyUsage=clientAuth');
    cluster = await startCluster([], (folder, user) => {
      const access = [
        'host all guarded 127.0.0.1/32 scram-sha-256',
        'hostssl all certified 127.0.0.1/32 cert',
        'host all all 127.0.0.1/32 trust',
      ];
      writeFileSync(join(folder, 'access.conf'), `${access.join('\n')}\n`);
      const key = join(folder, 'server.key');
      copyFileSync(join(certificates, 'server.key'), key);
      chmodSync(key, 0o600);
      if (user.uid !== undefined && user.gid !== undefined) chownSync(key, user.uid, user.gid);
      const files = { cert: join(certificates, 'server.pem'), ca: join(certificates, 'ca.pem'), key };
      const named = Object.entries(files).map(([word, file]) => `ssl_${word}_file=${file}`);
      return ['ssl=on', ...named, `hba_file=${join(folder, 'access.conf')}`];
    });
    const first = await cluster.database();
    await first.rows(`CREATE ROLE guarded LOGIN SUPERUSER PASSWORD 'right'; CREATE ROLE certified LOGIN SUPERUSER`);
    await first.drop();
  });
  afterAll(async () => {
    await cluster?.stop();
    rmSync(certificates, { recursive: true, force: true });
  });
  beforeEach(async () => {
    bed = await ChangeBed.make(cluster);
  });
  afterEach(() => bed.close());

  /** Takes one change, and resolves with its text. */
  async function takes(written: Written): Promise<unknown> {
    const connector = bed.connector(written, { directory: certificates });
    const taken: unknown[] = [];
    const deliver = ({ input }: { readonly input: Record<string, unknown> }): Outcome => {
      taken.push(bed.textOf(input));
      return reply;
    };
    const flows = connector.source.bind([{ ...bed.binding, deliver }]);
    await flows.prepare();
    await connector.open(never);
    flows.use();
    await connector.source.start();
    await bed.publish(['a']);
    await until(() => taken.length > 0);
    return taken[0];
  }

  const place = () => ({ host: 'localhost', port: bed.proxy.port, database: bed.database.name });

  test('is where the server is, and who connects', async () => {
    expect(await takes({ url: undefined, ...place(), user: 'guarded', password: 'right' })).toBe('a');
    const wrong = bed.connector({ url: undefined, ...place(), user: 'guarded', password: 'wrong-secret' });
    const failure = await wrong.open(never).catch((error: Error) => error.message);
    expect(failure).toMatch(/refused the credentials of user "guarded"/);
    expect(failure).not.toContain('wrong-secret');
    await expect(bed.connector({ database: 'absent' }).open(never)).rejects.toThrow(/has no database "absent"/);
  });

  test.each([
    ['encrypted alone', { ssl_mode: 'require' }, undefined],
    ['verified', { ssl_mode: 'verify-full', ssl_root_cert: 'ca.pem' }, undefined],
    ['verified by an unknown authority', { ssl_mode: 'verify-ca', ssl_root_cert: 'other.pem' }, /TLS/],
    ['verified under another name', { ssl_mode: 'verify-full', ssl_root_cert: 'ca.pem', host: '127.0.0.1' }, /TLS/],
    ['known by its authority alone', { ssl_mode: 'verify-ca', ssl_root_cert: 'ca.pem', host: '127.0.0.1' }, undefined],
    [
      'asking for a certificate',
      { ssl_mode: 'require', user: 'certified', ssl_cert: 'client.pem', ssl_key: 'client.key' },
      undefined,
    ],
    ['asking for a certificate that is absent', { ssl_mode: 'require', user: 'certified' }, /refused the credentials/],
    ['with a file that is absent', { ssl_mode: 'verify-ca', ssl_root_cert: 'no.pem' }, /ssl_root_cert.*cannot be used/],
  ] as const)('S-87: both connections to a server are TLS: %s', async (_, written, problem) => {
    const all = { url: undefined, ...place(), user: 'postgres', ...written };
    if (problem !== undefined)
      return expect(bed.connector(all, { directory: certificates }).open(never)).rejects.toThrow(problem);
    expect(await takes(all)).toBe('a');
    const sessions = await bed.database.rows(
      "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name LIKE 'svc %' AND datname = $1",
      [bed.database.name],
    );
    expect(sessions).toEqual([{ ssl: true }, { ssl: true }]);
  });

  test('is how long a connection is waited for', async () => {
    bed.proxy.fault = 'blackhole';
    const began = performance.now();
    await expect(bed.connector({ connect_timeout: 300 }).open(never)).rejects.toThrow(/300 ms/);
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  test('is which slot and publication are used', async () => {
    await bed.database.rows('CREATE PUBLICATION "Mine" FOR TABLE messages');
    expect(await takes({ publication: 'Mine', slot_name: `${bed.database.slot}_2`, create_if_missing: true })).toBe(
      'a',
    );
    expect(await bed.database.rows('SELECT pubname FROM pg_publication')).toEqual([{ pubname: 'Mine' }]);
    const slots = await bed.database.rows('SELECT slot_name FROM pg_replication_slots WHERE database = $1', [
      bed.database.name,
    ]);
    expect(slots).toEqual([{ slot_name: `${bed.database.slot}_2` }]);
  });

  test('is the largest change that it takes: the connection ends before a larger one has come', async () => {
    expect(await takes({ max_message: 20_000 })).toBe('a');
    await bed.database.rows(`INSERT INTO messages (body) VALUES (repeat('x', 30000))`);
    await until(() =>
      bed.lines.some(({ fields }) => /more than 20000 bytes \(max_message\)/.test(String(fields['reason']))),
    );
  });
});
