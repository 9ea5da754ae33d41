import { endpointBlocks } from '../../../../runtime/src/engine/auth/endpoints/spec.ts';
import { hooks as hookBlocks } from '../../../../runtime/src/engine/auth/hooks/spec.ts';
import { ana, goodPassword } from '../../../../runtime/src/engine/auth/testing/bed.ts';
import { validates } from '../experiment.ts';
import type { Shown } from '../flows.ts';
import { binding, suspicious } from './protection.ts';
import { better, jwt, type Story, tells } from './stories.ts';

/** The hooks and what makes them run. */
const runsHooks: Story = async (bed) => {
  const { body } = await bed.register();
  const seen = [(await bed.login('Wrong-Horse-7')).status, (await bed.login(goodPassword, { agent: 'new' })).status];
  await bed.ask('password_forgot', { body: { email: ana } });
  const change = { current_password: goodPassword, new_password: better };
  seen.push((await bed.ask('password_change', { token: body.access_token, body: change })).status);
  return [seen, bed.ran, bed.hooked.map(([name]) => name), bed.log.map(({ message }) => message)];
};
const hooked = (name: string, lines: string) =>
  `${binding('on_new_device = "notify"').replace(suspicious, '')}\n hooks {\n ${name} {\n ${lines}\n }\n }`;
/** What is written of `hooks`. */
export const hooks: Shown = Object.fromEntries(
  Object.keys(hookBlocks.blocks).flatMap((name) => {
    const service = (lines: string) => {
      const flow = 'flow "f" {\n response {\n a = "1"\n }\n}\n';
      return `connector "api" {\n type = "rest"\n}\n${flow}auth {\n preset = "strict"\n hooks {\n ${name} {\n flow = flow.f\n ${lines}\n }\n }\n}\n`;
    };
    return [
      [`hooks.${name}.flow`, tells(hooked(name, 'flow = §'), ['flow.f', 'flow.g'], runsHooks)],
      [
        `hooks.${name}.condition`,
        tells(hooked(name, 'flow = flow.f\n condition = §'), ['"true"', '"false"'], runsHooks),
      ],
      [
        `hooks.${name}.on_error`,
        name.startsWith('before_')
          ? tells(hooked(name, 'flow = flow.f\n on_error = §'), ['"ignore"', '"fail"'], runsHooks)
          : validates(service('on_error = §'), ['"ignore"', '"fail"']),
      ],
    ] as const;
  }),
);

/** Where endpoints are served, and by what method. */
export const places: Story = async (bed) => bed.places();
/** Providers, so that their endpoints are served. */
const provider = 'social {\n code_host_idp {\n client_id = "a"\n client_secret = "b"\n }\n }';
/** What is written of `endpoints`. */
export const endpoints: Shown = Object.fromEntries(
  Object.keys(endpointBlocks).flatMap((name) => {
    const base = jwt(
      'algorithm = "RS256"\n issuer = "https://a.test"',
      `base_url = "https://a.test"\n ${provider}\n endpoints {\n ${name} {\n §\n }\n }`,
    );
    return [
      [`endpoints.${name}.path`, tells(base, ['path = "/a"', 'path = "/b"'], places)],
      [
        `endpoints.${name}.method`,
        // Providers send browsers by GET: nothing else is taken.
        tells(base, [`method = "${name.endsWith('_callback') ? 'GET' : 'PUT'}"`, 'method = "PATCH"'], places),
      ],
      [`endpoints.${name}.enabled`, tells(base, ['enabled = true', 'enabled = false'], places)],
    ] as const;
  }),
);
