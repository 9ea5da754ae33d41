import { freePort } from '../../../support/free-port.ts';
import { answering, type Row, sending, through } from '../row.ts';

const namespace = 'http://example.org/texts';

export const soap: readonly Row[] = ['1.1', '1.2'].flatMap((version): Row[] => {
  const port = freePort();
  const chosen = { soap_version: version };
  const [server, client] = ['server', 'client'].map((side) => `soap_${side}_${version.replace('.', '_')}`) as [
    string,
    string,
  ];
  return [
    {
      name: server,
      connector: 'soap/server',
      chosen,
      start: async (name) => ({
        block: { host: '127.0.0.1', port: await port, namespace },
        hcl: answering(name, 'operation = "Echo"'),
        ...through(client),
      }),
    },
    {
      name: client,
      connector: 'soap/client',
      chosen,
      start: async (name) => ({
        block: { endpoint: `http://127.0.0.1:${await port}/`, namespace },
        hcl: sending(name, 'operation = "Echo"\nparams = { text = "input.text" }', 'step.sent.text'),
      }),
    },
  ];
});
