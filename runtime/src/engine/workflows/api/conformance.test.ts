import { configured } from '../../../../../test/support/configured.ts';
import { systemClock } from '../../../foundation/observe/clock.ts';
import { mountConformance, password } from '../../../platform/http/testing/mount-conformance.ts';
import { sqliteBed } from '../testing/beds.ts';
import { programOf } from '../testing/engines.ts';
import { workflowMount } from './api.ts';
import { WorkflowControl } from './control.ts';
import { workflow } from './service-spec.ts';

mountConformance('workflow.api', async () => {
  const bed = await sqliteBed();
  const store = await bed.store();
  await store.prepare();
  const sagas = new Map([['rent', programOf({ hold: {} })]]);
  const control = new WorkflowControl({ store, sagas, clock: systemClock, changed: () => undefined });
  const auth = { type: 'basic', users: { ada: password } };
  const api = configured(workflow.blocks.api, { port: 0, host: '127.0.0.1', auth });
  return {
    mount: (services) => workflowMount('workflow.api', api as never, control, services),
    requests: [
      { method: 'GET', path: '/workflows', route: '/workflows', status: 200 },
      { method: 'GET', path: '/workflows/w1', route: '/workflows/:id', status: 404 },
      { method: 'POST', path: '/workflows/w1/signal/keys', route: '/workflows/:id/signal/:event', status: 404 },
      { method: 'POST', path: '/workflows/w1/cancel', route: '/workflows/:id/cancel', status: 404 },
    ],
    body: { method: 'POST', path: '/workflows/w1/signal/keys', largest: 1_048_576 },
    close: () => bed.close(),
  };
});
