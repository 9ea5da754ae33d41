import { remove } from '../../engine/plugins/install/install.ts';
import type { RunAction } from './action.ts';
import { untilInterrupted } from './interrupt.ts';
import { siteOf } from './site.ts';

/** `svc plugin remove`: deletes the files and the entry of the lock. */
export const run: RunAction = async (invocation, name = '') => {
  const { options, streams } = invocation;
  const site = await siteOf(invocation);
  const progress = (line: string) => streams.error.write(`${line}\n`);
  await untilInterrupted((signal) => remove(site, name, { signal, progress }));
  const declared = site.declared.find((each) => each.name === name);
  if (options['format'] === 'json')
    streams.out.write(`${JSON.stringify({ name, removed: true, declared: declared !== undefined }, null, 2)}\n`);
  else streams.out.write(`${name} is removed.\n`);
  if (declared !== undefined)
    streams.error.write(`${declared.nameOrigin.file} still declares plugin "${name}": remove the block too.\n`);
  return 0;
};
