import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FrameReader, FramingError, frameHeader, LanguageServer } from '@svc/protocol/lsp';
import { productVersion } from '../../foundation/version.ts';
import { openDirectory } from '../../service/config/language-folder.ts';
import type { ExitStatus, Run } from '../command.ts';

/** `svc lsp`: talks to an editor over standard input and output until the editor ends the session, or disconnects. */
export const run: Run = ({ options, environment, streams }) => {
  const below = typeof options['config'] === 'string' ? options['config'] : '.';
  return new Promise<ExitStatus>((done) => {
    const { stdin, stdout } = process;
    const server = new LanguageServer({
      version: productVersion,
      open: (uri) => openDirectory(resolve(fileURLToPath(uri), below), environment),
      later: (work) => void setImmediate(work),
      exit: (clean) => {
        stdin.pause();
        done(clean ? 0 : 1);
      },
      sink: {
        send: (message) => {
          const body = Buffer.from(JSON.stringify(message), 'utf8');
          stdout.write(Buffer.concat([Buffer.from(frameHeader(body.length), 'latin1'), body]));
        },
      },
    });
    const reader = new FrameReader((bytes) => Buffer.from(bytes).toString('utf8'));
    stdin.on('data', (chunk: Buffer) => {
      try {
        for (const message of reader.push(chunk)) server.receive(message);
      } catch (error) {
        if (!(error instanceof FramingError)) throw error;
        streams.error.write(`svc lsp: ${error.message}\n`);
        stdin.destroy();
        done(1);
      }
    });
    // An editor that ended without the shutdown message leaves no client to serve.
    stdin.on('end', () => done(1));
    stdout.on('error', () => done(1));
  });
};
