import { configured } from '../../../../test/support/configured.ts';
import type { HttpMount } from '../../foundation/contracts/http.ts';
import { mountConformance, password } from '../../platform/http/testing/mount-conformance.ts';
import { requestServerConformance } from '../../service/running/testing/request-server-conformance.ts';
import { answerOf, credentialsOf } from '../../service/running/testing/served-answer.ts';
import { create } from './connector.ts';
import { rest } from './spec.ts';
import { binding, reply } from './testing/served.ts';

mountConformance('rest', async () => {
  const auth = { type: 'basic', users: { ada: password } };
  return {
    mount: async (services) => {
      const connector = create('api', configured(rest.config, { host: '127.0.0.1', port: 0, auth }), services);
      const operations = ['GET /loans/:id', 'POST /loans', 'DELETE /loans/:id'];
      const bound = connector.source?.bind(operations.map((each) => binding(each, () => reply({ done: true }))));
      await connector.open(new AbortController().signal);
      await bound?.prepare();
      return bound?.http as HttpMount;
    },
    requests: [
      { method: 'GET', path: '/loans/7', route: '/loans/:id', status: 200 },
      { method: 'POST', path: '/loans', route: '/loans', status: 200 },
      { method: 'DELETE', path: '/loans/7', route: '/loans/:id', status: 200 },
    ],
    body: { method: 'POST', path: '/loans', largest: 1_048_576 },
    close: async () => undefined,
  };
});

requestServerConformance('rest', {
  connector: 'type = "rest"',
  operation: (name) => `POST /${name}`,
  largest: 1000,
  ask: async (port, name, { fields = {}, caller } = {}) =>
    answerOf(
      await fetch(`http://127.0.0.1:${port}/${name}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...credentialsOf(caller) },
        body: JSON.stringify(fields),
      }),
      (body) => ({ value: body }),
    ),
});
