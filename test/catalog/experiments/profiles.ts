import type { Proof } from '../proof.ts';
import { shared } from '../proofs.ts';
import type { Experiment } from './experiment.ts';
import type { Shown } from './flows.ts';
import { serves } from './running.ts';

const file = 'operation "where" {\n query = "SELECT file, seq FROM pragma_database_list"\n }';
const profile = (name: string, lines = '') =>
  `profile "${name}" {\n type = "database"\n driver = "sqlite"\n database = "${name}.db"\n ${file}\n ${lines}\n }\n`;
const absent =
  'profile "absent" {\n type = "http"\n base_url = "http://127.0.0.1:${env("ONE")}"\n operation "where" {\n method = "GET"\n path = "/x"\n }\n }\n';

/** What a flow reads of a connector with these lines: the name of the file of the profile that answered. */
const asked = (lines: string, values: Experiment['values']) =>
  serves(
    `service {\n admin_port = 0\n}\nconnector "api" {\n type = "rest"\n port = 0\n}\nconnector "p" {\n ${lines}}\nflow "f" {\n from {\n connector = "api"\n operation = "GET /x"\n }\n step "s" {\n connector = "p"\n operation = "where"\n }\n response {\n s = "step.s"\n }\n}\n`,
    values,
    async ({ ask, api }) => String(await ask(api, '/x')).replaceAll(/[^"]*\/(?=\w+\.db)/g, ''),
  );

const both = profile('one') + profile('two');

/** Connectors that choose between profiles. */
export const profiles: Shown = {
  select: asked(`select = §\n default = "one"\n ${both}`, [`"'one'"`, `"'two'"`]),
  default: asked(`default = §\n ${both}`, ['"one"', '"two"']),
  fallback: asked(`default = "absent"\n fallback = §\n ${absent}${both}`, ['["one"]', '["two"]']),
  health: shared['health'] as Proof,
};

/** What every profile may say beside what its type takes. */
export const everyProfile: Shown = {
  'transform.*': asked(`default = "one"\n ${profile('one', 'transform {\n n = §\n }')}`, [
    '"input.seq"',
    '"input.seq + 1"',
  ]),
};
