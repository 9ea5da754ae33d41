import { afterEach, expect, test } from 'vitest';
import { createService, type Service } from './service.ts';
import type { Loaded, ServiceSetup } from './setup.ts';
import { ask, type Events, fakePlan, fakeServer, fakeTarget, loaded, planned, setup } from './testing/fakes.ts';

const started: Service[] = [];

afterEach(async () => {
  await Promise.all(started.splice(0).map((service) => service.stop()));
});

function make(load: () => Loaded, own: Partial<ServiceSetup> = {}) {
  const { parts, lines } = setup(load, own);
  const service = createService(parts);
  started.push(service);
  return { service, gaveUp: () => lines.filter(({ message }) => message === 'connector did not close cleanly') };
}

const never = () => new Promise<never>(() => undefined);
const short = { shutdown: { delay: 0, timeout: 300 } };

/** A plan with a server that answers its version, a target whose close never ends, and one that closes. */
function frozen(events: Events, version: string) {
  return fakePlan([
    planned('api', () => fakeServer('api', events, () => version), `api ${version}`),
    planned('frozen', () => fakeTarget('frozen', events, { close: never }), version),
    planned('db', () => fakeTarget('db', events), version),
  ]);
}

test('R-39: a connector whose close never ends prevents neither the others nor the service from ending', async () => {
  const events: Events = [];
  const source = (name: string) => planned(name, () => ({ ...fakeServer(name, events, () => ''), close: never }));
  const plan = frozen(events, '1');
  const { service, gaveUp } = make(() => loaded(fakePlan([...plan.connectors, source('web')]), short));
  await service.start();
  expect(await service.stop()).toEqual({ clean: false, cut: 0 });
  expect(service.lifecycle.phase).toBe('stopped');
  expect(events.filter((event) => event.startsWith('close')).sort()).toEqual(['close api', 'close db']);
  expect(gaveUp().map(({ fields }) => fields['connector'])).toEqual(['web', 'frozen']);
});

test('R-39: a connector of an earlier configuration whose close never ends blocks no later reload, and no stop', async () => {
  const events: Events = [];
  let version = 1;
  const { service, gaveUp } = make(() => loaded(frozen(events, String(version)), short));
  const { addresses } = await service.start();
  for (version = 2; version <= 4; version++) expect(await service.reload()).toBe(true);
  expect((await ask(addresses.get('api')?.port ?? 0, '/')).body).toBe('4');
  expect(await service.stop()).toEqual({ clean: false, cut: 0 });
  expect(events.filter((event) => event === 'close db')).toHaveLength(4);
  expect(gaveUp()).toHaveLength(4);
});

test('R-87: a connector whose close never ends does not prevent a start or a reload that fails from ending', async () => {
  const events: Events = [];
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const sick = planned('sick', () => fakeTarget('sick', events, { open: () => Promise.reject(refused) }));
  const broken = fakePlan([...frozen(events, '2').connectors, sick]);
  await expect(make(() => loaded(broken, short)).service.start()).rejects.toThrow('connector "sick" cannot be used');
  let plan = frozen(events, '1');
  const { service } = make(() => loaded(plan, short));
  await service.start();
  plan = broken;
  expect(await service.reload()).toBe(false);
});
