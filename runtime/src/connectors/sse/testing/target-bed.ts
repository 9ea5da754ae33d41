import { until } from '../../../../../test/support/until.ts';
import type { TargetBed } from '../../testing/target-conformance.ts';
import { sse } from '../spec.ts';
import { SseBed, type TestStream } from './bed.ts';

/** Connectors that send to one client, which keeps what it gets. */
export async function targetBed(): Promise<TargetBed> {
  const bed = new SseBed();
  let client: Promise<TestStream | undefined> | undefined;
  return {
    spec: sse,
    connector: (services) => {
      const made = bed.connector({ auth: { type: 'basic', users: { ada: 'kept:secret' } } }, services);
      const open = made.open.bind(made);
      // Clients come once the connector is open and its flows are served.
      made.open = async (signal) => {
        await open(signal);
        await bed.serve(bed.bind(made, {}));
        client = bed.connect('', { authorization: `Basic ${btoa('ada:kept:secret')}` });
        client.catch(() => undefined);
      };
      return made;
    },
    call: { verb: 'create', operation: 'broadcast' },
    echo: async (execute, text) => {
      const receiver = await client;
      await execute({ payload: { text } });
      const data = () => (receiver?.data ?? []) as readonly { readonly text?: unknown }[];
      return (await until(() => data().find((each) => each.text === text))).text;
    },
    malformed: ['send_to_rooom', 'stream:', 'room:x', 'INSERT'],
    secrets: ['kept:secret', btoa('ada:kept:secret')],
    close: () => bed.close(),
  };
}
