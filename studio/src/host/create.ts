import { documentationAddress } from './documentation.ts';
import { draftServices } from './files/drafts.ts';
import { fileServices } from './files/files.ts';
import { foldersLike, placeFor } from './files/folders.ts';
import { Projects } from './files/projects.ts';
import { templateServices } from './files/templates.ts';
import { ProjectWatch } from './files/watch.ts';
import { Git } from './git/git.ts';
import type { Emit, HostServices } from './host.ts';
import { HttpSender } from './http.ts';
import { Identities } from './identities/identities.ts';
import { type SecretBox, Vault } from './identities/vault.ts';
import type { Attachment } from './service/attached.ts';
import { Dialer } from './service/dial.ts';
import type { Program } from './service/runner-options.ts';
import { attachedService, ownService } from './service/running.ts';
import { settingsServices } from './settings.ts';
import { TestRunner } from './tests/test-runner.ts';

/** What a window can ask of the system that shows it; a browser does these itself and answers nothing was done. */
export interface WindowSystem {
  /** Asks the person for a folder. */
  chooseFolder(): Promise<string | undefined>;
  /** Is given addresses of the documentation only. */
  openExternal(url: string): Promise<void>;
  saveAs(name: string, content: Uint8Array): Promise<boolean>;
}

export interface HostOptions {
  /** How `svc` itself is run. */
  readonly program: Program;
  /** What the service and the configuration see. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where settings, drafts and the list of trusted folders are kept. */
  readonly settingsDirectory: string;
  readonly templatesDirectory: string;
  /** Folder to open at once. */
  readonly directory?: string | undefined;
  /** A service that another program runs; this host starts none then. */
  readonly attach?: Attachment | undefined;
  /** The keychain of the system; absent: passwords of identities are kept in memory alone. */
  readonly secretBox?: SecretBox | undefined;
  readonly emit: Emit;
  readonly system: WindowSystem;
}

/** Everything that one window may ask, answered. */
export interface Host {
  readonly services: HostServices;
  /** The page went away: its requests are ended. Folder, service and debuggers stay for the next page. */
  pageLeft(): void;
  /** Ends everything, the service included. */
  close(): Promise<void>;
}

/** Makes the host of one window. Rejects when the folder cannot be opened. */
export async function createHost(options: HostOptions): Promise<Host> {
  const { environment, settingsDirectory, templatesDirectory, directory, attach, emit, system } = options;
  const projects = new Projects(settingsDirectory);
  const running = attach === undefined ? ownService(projects, options) : attachedService(attach, options);
  const tests = new TestRunner(projects, options);
  const dialer = new Dialer(emit, (address) => tests.tokenFor(address) ?? running.tokenFor(address));
  const http = new HttpSender();
  const identities = new Identities({
    projects,
    vault: new Vault(settingsDirectory, options.secretBox),
    sender: http.services,
    addresses: async () => {
      const { state } = await running.services['service.state']({});
      return state.kind === 'running' ? state.addresses : [];
    },
  });
  const git = new Git(() => projects.current, environment, emit);
  let watch: ProjectWatch | undefined;
  projects.opened = async (project) => {
    // A debugger that left before the service takes no more would open its gates.
    tests.endAll();
    await running.leave();
    dialer.releaseAll();
    identities.forgetTokens();
    watch?.stop();
    watch = new ProjectWatch(project.directory, (changes) => emit('files.changed', { changes }));
    await watch.ready;
  };
  if (directory !== undefined) await projects.open(directory);
  const wrote = (path: string, version: string) => watch?.wrote(path, version);
  return {
    services: {
      'project.current': async () => ({ project: projects.current }),
      'project.open': async ({ directory: wanted }) => ({ project: await projects.open(wanted) }),
      'project.choose': async () => {
        const chosen = await system.chooseFolder();
        return { project: chosen === undefined ? undefined : await projects.open(chosen) };
      },
      'project.trust': async () => ({ project: await projects.trust() }),
      'project.folders': async ({ path }) => ({ folders: await foldersLike(path) }),
      'project.place': async ({ name }) => ({ directory: await placeFor(name, await projects.recent()) }),
      'project.recent': async () => ({ directories: await projects.recent() }),
      ...templateServices({ projects, directory: templatesDirectory, program: options.program, environment }),
      ...fileServices({ projects, environment, wrote }),
      ...draftServices(projects, settingsDirectory),
      ...git.services,
      ...running.services,
      ...tests.services,
      ...dialer.services,
      ...identities.services,
      ...settingsServices(settingsDirectory),
      'system.openExternal': async ({ url }) => {
        await system.openExternal(documentationAddress(url));
        return {};
      },
      'system.saveAs': async ({ name, content, base64 }) => {
        const plain = name.replace(/[\\/:\u0000-\u001f]/g, '-').slice(0, 200);
        return { saved: await system.saveAs(plain, Buffer.from(content, base64 === true ? 'base64' : 'utf8')) };
      },
    },
    pageLeft: () => {
      tests.pageLeft();
      dialer.pageLeft();
      http.cancelAll();
    },
    close: async () => {
      watch?.stop();
      git.close();
      http.cancelAll();
      tests.endAll();
      await running.close();
      dialer.closeAll();
    },
  };
}
