import { faultProxy } from '../../../../../test/support/proxy.ts';
import { OpenIdStandIn, type StandInAnswer } from '../../../../../test/support/servers/openid/stand-in.ts';
import type { TargetBed } from '../../testing/target-conformance.ts';
import { custom } from '../custom/spec.ts';
import { clientSecret, make } from './bed.ts';

const accessOf = 'access of ';

/** New tokens, of which the one for the text of a call says that text; `stuck` is left without an answer. */
export async function targetBed(): Promise<TargetBed> {
  const provider = await OpenIdStandIn.start();
  const proxy = await faultProxy({ port: provider.port });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let held = 0;
  provider.instead.set('/token', async ({ form }): Promise<StandInAnswer> => {
    if (form['refresh_token'] !== 'refresh of stuck') return 'usual';
    held++;
    await released;
    held--;
    return 'usual';
  });
  return {
    spec: custom,
    connector: (services) => make('custom', `http://127.0.0.1:${proxy.port}`, {}, services),
    call: { operation: 'refresh' },
    echo: async (execute, text) => {
      const { value } = await execute({ params: { refresh_token: `refresh of ${encodeURIComponent(text)}` } });
      const { access_token: token } = value as { readonly access_token: string };
      return decodeURIComponent(token.slice(accessOf.length));
    },
    stuck: {
      call: { operation: 'refresh' },
      request: { params: { refresh_token: 'refresh of stuck' } },
      begun: () => held > 0,
      release,
      isLeft: () => false,
    },
    proxy,
    malformed: ['', 'authorise', 'GET /token', 'callback now'],
    secrets: [clientSecret, encodeURIComponent(clientSecret), clientSecret.replaceAll(' ', '+')],
    close: async () => {
      release();
      await proxy.close();
      await provider.stop();
    },
  };
}
