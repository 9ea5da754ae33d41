import { describe, expect, onTestFinished, test } from 'vitest';
import { OpenIdStandIn } from '../../../../../test/support/servers/openid/stand-in.ts';
import { engines } from '../../../connectors/database/testing/engines.ts';
import { sql } from '../../../connectors/database/testing/parts.ts';
import { accountBed, usersOf } from '../store/testing/account-beds.ts';
import { accountOf } from '../store/testing/account-conformance.ts';
import { authBed } from '../testing/bed.ts';
import { signIn, withProvider } from './testing/journey.ts';

/** Where letters are equal that differ in their accents, unless the table says otherwise. */
describe.each(engines.filter(({ engine, skip }) => engine === 'mysql' && !skip))('a table of $engine', (engine) => {
  test('in which an address is equal to another one: who has it at a provider gets no account, and a reason', async () => {
    const bed = await accountBed(engine);
    const provider = await OpenIdStandIn.start();
    onTestFinished(async () => {
      await provider.stop();
      await bed.close();
    });
    const columns = 'id VARCHAR(64) PRIMARY KEY, email VARCHAR(255) NOT NULL UNIQUE, password_hash VARCHAR(255)';
    const moments = 'created_at DATETIME(3), updated_at DATETIME(3)';
    await sql(bed.connector, `CREATE TABLE people (${columns}, ${moments}) COLLATE utf8mb4_general_ci`);
    const accounts = await bed.store(usersOf({}, 'people'));
    await accounts.open();
    await accounts.create({ ...accountOf('jose@example.test', { roles: [] }), emailVerified: true });
    const auth = await authBed(withProvider(provider), { accounts });
    provider.claims = { email: 'josé@example.test', email_verified: true };
    const { status, body } = await signIn(auth, provider, 'eve');
    expect([status, body.error.code]).toEqual([401, 'sso_failed']);
    expect(await accounts.list(undefined, 10)).toHaveLength(1);
  });
});
