import { PluginProblem } from '../../engine/plugins/install/problem.ts';
import { type Run, UsageError } from '../command.ts';
import type { Action } from '../plugin/action.ts';

/** What each word does. Its code is imported only when it is asked for. */
const actions: Readonly<Record<string, Action>> = {
  list: { subject: 'none', options: [], load: () => import('../plugin/list.ts') },
  install: { subject: 'optional', options: ['frozen'], load: () => import('../plugin/install.ts') },
  update: { subject: 'optional', options: [], load: () => import('../plugin/update.ts') },
  remove: { subject: 'required', options: [], load: () => import('../plugin/remove.ts') },
  new: { subject: 'required', options: ['kind'], load: () => import('../plugin/new.ts') },
  test: { subject: 'optional', shown: 'FOLDER', options: ['filter'], load: () => import('../plugin/test.ts') },
};

/**
 * `svc plugin`: what a configuration declares of plugins, and what is installed of it. Resolves with 0, or with 1 when a plugin
 * cannot be had or is not what it must be.
 */
export const run: Run = async (invocation) => {
  const { positionals, options, streams } = invocation;
  const [word = 'list', subject, ...rest] = positionals;
  const action = Object.hasOwn(actions, word) ? actions[word] : undefined;
  if (action === undefined) throw new UsageError(`"${word}" is unknown; it can be ${Object.keys(actions).join(', ')}`);
  const { subject: takes, shown = 'NAME' } = action;
  if (rest.length > 0 || (takes === 'none' && subject !== undefined) || (takes === 'required' && subject === undefined))
    throw new UsageError(
      `"${word}" takes ${{ none: 'no argument', optional: `at most one ${shown}`, required: `one ${shown}` }[takes]}`,
    );
  for (const [name, { options: own }] of Object.entries(actions))
    for (const option of own)
      if (options[option] !== undefined && !action.options.includes(option))
        throw new UsageError(`--${option} belongs to "${name}"`);
  const { run: act } = await action.load();
  try {
    return await act(invocation, subject);
  } catch (error) {
    if (!(error instanceof PluginProblem)) throw error;
    streams.error.write(`svc plugin: ${error.message}\n`);
    return 1;
  }
};
