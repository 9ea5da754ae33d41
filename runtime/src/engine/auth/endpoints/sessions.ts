import { Refusal } from '../refusal.ts';
import type { Endpoint } from './endpoint.ts';

const listEndpoint: Endpoint = {
  name: 'sessions_list',
  bucket: 'sessions',
  signedIn: true,
  async answer({ caller }, { sessions }) {
    const { account, session: current } = caller();
    const all = await sessions.store.of(account.id);
    return {
      body: {
        sessions: all.map(({ id, ip, userAgent, createdAt, lastActiveAt, expiresAt }) => ({
          id,
          ip: ip ?? '',
          user_agent: userAgent ?? '',
          created_at: new Date(createdAt).toISOString(),
          last_active_at: new Date(lastActiveAt).toISOString(),
          expires_at: new Date(expiresAt).toISOString(),
          current: id === current.id,
        })),
      },
    };
  },
};

const revokeEndpoint: Endpoint = {
  name: 'sessions_revoke',
  bucket: 'sessions',
  signedIn: true,
  async answer({ caller, client, params }, { sessions, audit }) {
    const { account } = caller();
    const id = params['id'] ?? '';
    // A session of another account is as unknown as one that never was.
    if (!/^[0-9a-f]{32}$/.test(id) || !(await sessions.store.end(id, account.id)))
      throw new Refusal(404, 'session_not_found', 'There is no such session.');
    const who = { user_id: account.id, email: account.email };
    const metadata = { session_id: id };
    await audit.record({ event: 'session_revoked', ...who, client, success: true, reason: undefined, metadata });
    return { body: { message: 'The session has ended.' } };
  },
};

export const sessionEndpoints: readonly Endpoint[] = [listEndpoint, revokeEndpoint];
