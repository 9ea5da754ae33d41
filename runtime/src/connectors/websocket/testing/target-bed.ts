import { until } from '../../../../../test/support/until.ts';
import type { TargetBed } from '../../testing/target-conformance.ts';
import { websocket } from '../spec.ts';
import { type TestClient, WebSocketBed } from './bed.ts';

/** Connectors that send to one client, which keeps what it gets. */
export async function targetBed(): Promise<TargetBed> {
  const bed = new WebSocketBed();
  let client: Promise<TestClient | undefined> | undefined;
  return {
    spec: websocket,
    connector: (services) => {
      const auth = { type: 'basic', users: { ada: 'kept:secret' } };
      const made = bed.connector({ auth }, services);
      const open = made.open.bind(made);
      // Clients come once the connector is open and its flows are served.
      made.open = async (signal) => {
        await open(signal);
        await bed.serve(bed.bind(made, {}));
        client = bed.connect('', { headers: { authorization: `Basic ${btoa('ada:kept:secret')}` } });
        client.catch(() => undefined);
      };
      return made as typeof made & { readonly target: NonNullable<typeof made.target> };
    },
    call: { verb: 'create', operation: 'broadcast' },
    echo: async (execute, text) => {
      const receiver = await client;
      await execute({ payload: { text } });
      const frames = () => (receiver?.frames ?? []) as readonly { readonly data?: { readonly text?: unknown } }[];
      return (await until(() => frames().find(({ data }) => data?.text === text))).data?.text;
    },
    malformed: ['send_to_rooom', 'room:', 'INSERT'],
    secrets: ['kept:secret', btoa('ada:kept:secret')],
    close: () => bed.close(),
  };
}
