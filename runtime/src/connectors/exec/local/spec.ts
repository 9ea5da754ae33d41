import { block, connector, list, text } from '@svc/protocol/schema';
import { inheritedNames } from '../../../platform/processes/inherited.ts';
import { execAttributes, execEnv, execOperation, execTarget, execWords } from '../spec.ts';

const config = block({
  doc: `Runs programs of this machine, each call one, without a shell unless \`shell\` is written. A program gets these variables of the service and no others: ${inheritedNames.map((name) => `\`${name}\``).join(', ')}. An exit status other than 0 is a failure.`,
  attributes: {
    ...execAttributes,
    inherit_env: list(
      'Further variables of the service that the program gets.',
      text('Name of a variable.', { pattern: { source: '^[^=\\0]+$', says: 'must be the name of a variable' } }),
      { example: '["HTTPS_PROXY"]' },
    ),
    working_dir: text(
      'Folder that the program runs in, relative to the configuration directory, which it is when absent.',
      { example: '"./work"' },
    ),
  },
  blocks: { env: execEnv },
  example: `connector "thumbnails" {
  type          = "exec"
  command       = "convert"
  args          = ["-", "-thumbnail", "200x200", "png:-"]
  output_format = "binary"
  content_type  = "image/png"
}`,
});

/** Programs of this machine. */
export const execLocal = connector({
  type: 'exec',
  driver: 'local',
  defaultDriver: true,
  canonical: 'exec',
  kind: 'http',
  config,
  operation: execOperation,
  target: execTarget,
  words: execWords,
});
