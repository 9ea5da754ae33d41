import { freePort } from '../../../support/free-port.ts';
import { answering, type Row, sending, through } from '../row.ts';

/** Each envelope, with the operation that asks for the flow `echo` in it. */
const envelopes = { json: 'echo', msgpack: 'echo', raw: 'echo', nestjs: '{"cmd":"echo"}' } as const;

export const tcp: readonly Row[] = Object.entries(envelopes).flatMap(([protocol, operation]) => {
  const port = freePort();
  const chosen = { protocol };
  const [server, client] = [`tcp_server_${protocol}`, `tcp_client_${protocol}`];
  return [
    {
      name: server,
      connector: 'tcp/server',
      chosen,
      start: async (name) => ({
        block: { host: '127.0.0.1', port: await port },
        hcl: answering(name, 'operation = "echo"'),
        ...through(client),
      }),
    },
    {
      name: client,
      connector: 'tcp/client',
      chosen,
      asksAnother: true,
      start: async (name) => ({
        block: { host: '127.0.0.1', port: await port },
        hcl: sending(
          name,
          `operation = ${JSON.stringify(operation)}\nparams = { text = "input.text" }`,
          'step.sent.text',
        ),
      }),
    },
  ] satisfies Row[];
});
