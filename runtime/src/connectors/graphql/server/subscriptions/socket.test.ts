import { expect, test, vi } from 'vitest';
import { LiveService } from './testing/live-service.ts';

test('a client subscribes, gets the events that are published after it, and ends it', async () => {
  await using live = await LiveService.start();
  const client = live.client();
  const taken: unknown[] = [];
  const subscription = client.iterate({ query: 'subscription { changed { id text } }' });
  const reading = (async () => {
    for await (const result of subscription) if (taken.push(result) === 2) break;
  })();
  await vi.waitFor(() => expect(live.metric('svc_subscriptions{connector="api"}')).toBe(1));
  await live.publish({ id: 1, text: 'one' });
  await live.publish({ id: 2 });
  await reading;
  expect(taken).toEqual([
    { data: { changed: { id: 1, text: 'one' } } },
    { data: { changed: { id: 2, text: null } } },
  ]);
  await vi.waitFor(() => expect(live.metric('svc_subscriptions{connector="api"}')).toBe(0));
  expect(live.metric('svc_subscription_events_total{connector="api",result="delivered"}')).toBe(2);
});
