import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { isConfigurationFile } from '../../service/config/discover.ts';
import { directoryOf } from '../call.ts';
import { type Invocation, type Run, UsageError } from '../command.ts';
import { handleSignals } from '../signals.ts';

/** `svc studio`: serves the studio to browsers of this machine until a signal ends it. */
export const run: Run = async (invocation) => {
  const { options, environment, streams } = invocation;
  const directory = folderOf(invocation);
  const port = portOf(options['port'], '--port');
  const attach = attachmentOf(options);
  const { settingsDirectory, startBrowserHost, studioPlaces } = await import('@svc/studio/host');
  const { renderer, templates } = studioPlaces();
  const studio = await startBrowserHost({
    program: { executable: process.execPath, args: [process.argv[1] as string] },
    environment,
    settingsDirectory: settingsDirectory(environment),
    templatesDirectory: templates,
    rendererDirectory: renderer,
    directory,
    port,
    attach,
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE') throw new UsageError(`port ${port} is taken; without --port a free one is chosen`);
    throw error;
  });
  // A program that reads the address may end the studio at once.
  const ended = new Promise<0>((resolve) => {
    const forget = handleSignals({
      stop: () => {
        void studio.close().then(() => {
          forget();
          resolve(0);
        });
      },
      stopNow: (status) => process.exit(status),
      reload: () => undefined,
    });
  });
  streams.out.write(`studio   ${studio.url}\n`);
  streams.error.write('It opens once, in one browser of this machine. Ctrl-C ends the studio and what it started.\n');
  if (options['open'] === true) openBrowser(studio.url, streams);
  return ended;
};

/** The folder that was named, else the current one when a configuration is in it; the page asks otherwise. */
function folderOf(invocation: Invocation): string | undefined {
  const directory = directoryOf(invocation);
  const isNamed = invocation.positionals.length > 0 || invocation.options['config'] !== undefined;
  return isNamed || readdirSync(directory).some(isConfigurationFile) ? directory : undefined;
}

function portOf(written: unknown, name: string): number | undefined {
  if (typeof written !== 'string') return undefined;
  const port = /^\d{1,5}$/.test(written) ? Number(written) : -1;
  if (port < 0 || port > 65_535) throw new UsageError(`${name} is a port from 0 to 65535, not "${written}"`);
  return port;
}

/** The service that another program runs on this machine. */
function attachmentOf({ attach, address }: Invocation['options']) {
  if (typeof attach !== 'string') {
    if (address !== undefined) throw new UsageError('--address belongs to --attach');
    return undefined;
  }
  const found = /^(?:127\.0\.0\.1|localhost):(\d{1,5})$/.exec(attach);
  const adminPort = portOf(found?.[1], '--attach');
  if (!adminPort) throw new UsageError(`--attach is the admin port of this machine, such as 127.0.0.1:9090`);
  return { adminPort, addresses: typeof address === 'string' ? [address] : [] };
}

function openBrowser(url: string, streams: Invocation['streams']): void {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open', url]
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler', url]
        : ['xdg-open', url];
  const opener = spawn(command as string, args, { stdio: 'ignore', detached: true });
  opener.on('error', () => streams.error.write('No browser could be opened; open the address yourself.\n'));
  opener.unref();
}
