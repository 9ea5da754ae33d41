import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RunningService, startService } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { engines, type OnEngine, startOn } from '../engines.ts';
import { ask } from '../scenario.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

for (const engine of engines)
  describe.skipIf(engine.skip)(`a state machine on ${engine.name}`, () => {
    let remote: Upstream;
    let running: OnEngine;
    /** Another process on the same database. */
    let other: RunningService;
    let held: ServerResponse[] = [];

    beforeAll(async () => {
      remote = await startUpstream();
      running = await startOn(engine, import.meta.dirname, { REMOTE_URL: remote.address });
      other = await startService({ directory: running.service.directory, env: running.env });
    });

    afterAll(async () => {
      await other?.stop('SIGKILL');
      await running?.end();
      await remote?.close();
    });

    beforeEach(() => {
      held = [];
      remote.received.length = 0;
      remote.react = () => (response) => void held.push(response);
    });

    const release = (status = 200) => {
      for (const response of held.splice(0))
        response.writeHead(status, { 'content-type': 'application/json' }).end('{"done":true}');
    };
    const send = async (path: string, address = running.service.address) => {
      const { status, body } = await ask('POST', address + path, {});
      return { status, body: body as Record<string, unknown> };
    };
    const stateOf = async (id: number) => {
      const { body } = await ask('GET', `${running.service.address}/parcels/${id}`);
      return (body as { status: string | null }[])[0]?.status;
    };
    const faster = { error: 'state_machine "parcel": the entity left "packed" meanwhile', code: 'transition_refused' };

    test.each([
      ['an empty column', 1],
      ['its initial state', 2],
      ['an empty text', 3],
    ])('of two events at two processes, exactly one moves a row with %s', async (_title, id) => {
      const asked = [send(`/parcels/${id}/send`), send(`/parcels/${id}/cancel`, other.address)];
      await until(() => held.length === 2);
      release();
      const answers = await Promise.all(asked);
      const [won] = answers.filter(({ status }) => status === 200);
      const [lost] = answers.filter(({ status }) => status === 409);
      expect(lost?.body).toEqual(faster);
      expect(won?.body).toMatchObject({ previous_state: 'packed', action_result: { done: true } });
      expect(await stateOf(id)).toBe(won?.body['current_state']);
    });

    test('many events at once move a row once', async () => {
      remote.react = () => ({ body: { done: true } });
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, at) =>
          send('/parcels/5/send', at % 2 === 0 ? running.service.address : other.address),
        ),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 11 }, () => 409)]);
      expect(await stateOf(5)).toBe('sent');
      expect((await send('/parcels/5/receive')).body).toMatchObject({
        previous_state: 'sent',
        current_state: 'received',
      });
    });

    test('an action that fails leaves the state, and a lost race that is tried again is judged by the new one', async () => {
      const failed = send('/parcels/6/send');
      await until(() => held.length === 1);
      release(422);
      expect((await failed).status).toBeGreaterThanOrEqual(400);
      expect(await stateOf(6)).toBe('packed');
      const late = send('/insisting/6/send');
      await until(() => held.length === 1);
      remote.react = () => ({ body: {} });
      expect((await send('/parcels/6/cancel', other.address)).status).toBe(200);
      release();
      const { status, body } = await late;
      expect([status, body['error']]).toEqual([409, expect.stringContaining('the state "cancelled" is final')]);
      expect(remote.received.map(({ url }) => url)).toEqual(['/labels', '/labels', '/cancellations']);
    });

    test('rows in no state of the machine, and rows that are not there', async () => {
      expect((await send('/parcels/4/send')).status).toBe(500);
      expect((await send('/parcels/99/send')).status).toBe(404);
      expect(remote.received).toEqual([]);
    });
  });
