import type { Command } from '../command.ts';

export const pluginCommand: Command = {
  name: 'plugin',
  summary: 'Install the plugins that a configuration declares, list, update and remove them; make and test new ones.',
  positionals: '[list | install [NAME] | update [NAME] | remove NAME | new NAME | test [FOLDER]]',
  most: 2,
  options: {
    frozen: { kind: 'flag', doc: 'install: change nothing in plugins.lock; fail when that would be needed.' },
    kind: {
      kind: 'text',
      placeholder: 'KIND',
      doc: 'new: what the plugin provides.',
      choices: ['connector', 'validator', 'sanitizer', 'function'],
    },
    filter: { kind: 'text', placeholder: 'TEXT', doc: 'test: run only cases whose name or file contains this.' },
    format: { kind: 'text', placeholder: 'FORMAT', doc: 'How the result is written.', choices: ['text', 'json'] },
  },
  details: `
install brings what plugins.lock names, and adds what is declared and not in it. update looks for newer versions that
the declaration allows. remove deletes what was installed; the declaration is yours to delete. Where an update fails,
everything is as it was. docs/plugins.md says where plugins come from.
new writes the project of a plugin in AssemblyScript, test calls the functions of a plugin as the cases in its folder say;
docs/write-a-plugin.md shows both.
Exit status: 0 done, 1 a plugin cannot be had or is not what the lock names, 2 wrong usage.

  svc plugin install
  svc plugin install --frozen
  svc plugin update geo
  svc plugin new geo --kind connector
  svc plugin test plugins/geo`,
  load: () => import('../commands/plugin.ts'),
};
