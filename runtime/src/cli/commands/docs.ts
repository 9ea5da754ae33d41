import { closest } from '@svc/protocol/text';
import { vocabulary } from '../../checks/vocabulary.ts';
import { directoryOf } from '../call.ts';
import type { Run } from '../command.ts';
import { addedBy } from '../docs/added.ts';
import { everyWord, explain } from '../docs/explain.ts';

export const run: Run = async (invocation) => {
  const { positionals, streams, workingDirectory, environment } = invocation;
  if (positionals.length === 0) {
    streams.out.write(overview());
    return 0;
  }
  const say = (found: readonly string[]) => {
    streams.out.write(`${found.join('\n\n').trim()}\n`);
    return 0;
  };
  const found = explain(vocabulary, positionals);
  if (found.length > 0) return say(found);
  // Nothing of a configuration is read for a word of the language itself.
  const added = await addedBy(directoryOf({ ...invocation, positionals: [] }), workingDirectory, environment);
  const ofModules = added === undefined ? [] : [...explain(added.vocabulary, positionals), ...added.pages(positionals)];
  if (ofModules.length > 0) return say(ofModules);
  const near = closest(positionals.at(-1) ?? '', everyWord(added));
  streams.error.write(
    `svc docs: nothing is called "${positionals.join(' ')}"${near === undefined ? '' : `; did you mean "${near}"?`}\n`,
  );
  return 1;
};

function overview(): string {
  const blocks = Object.keys(vocabulary.blocks).sort().join(', ');
  const connectors = [...new Set(vocabulary.connectors.map(({ type }) => type))].sort().join(', ');
  return `Blocks:     ${blocks}\nConnectors: ${connectors}\n\nsvc docs WORD explains one of them, an attribute, or a function.\n`;
}
