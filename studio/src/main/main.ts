import { join, resolve } from 'node:path';
import { app, BrowserWindow, ipcMain, safeStorage, session } from 'electron';
import { callService } from '../host/call.ts';
import type { SecretBox } from '../host/identities/vault.ts';
import { settingsDirectory, studioPlaces } from '../host/places.ts';
import type { Program } from '../host/service/runner-options.ts';
import { type CallAnswer, channelOf } from '../shared/channels.ts';
import { services } from '../shared/services.ts';
import { showMenu } from './menu.ts';
import { isFromPage, keepPages, prepareScheme, refusePermissions, serveScheme } from './security.ts';
import { openWindow, type StudioWindow } from './window.ts';

const places = studioPlaces();
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^ELECTRON_/.test(name)));
const windows = new Map<number, StudioWindow>();
const closing = new Set<Promise<void>>();

/**
 * A service runs in a Node of its own: the one that was packaged beside this program, or the one that `npm run studio`
 * names. Electron itself is built so that it cannot be used as one.
 */
function serviceProgram(): Program {
  const packaged = join(process.resourcesPath ?? '', 'node', process.platform === 'win32' ? 'node.exe' : 'node');
  // What Node has to read is beside the archive that Electron reads.
  const root = places.root.replace(/app\.asar$/, 'app.asar.unpacked');
  return {
    executable: (app.isPackaged ? undefined : process.env['SVC_NODE']) || packaged,
    args: [join(root, 'runtime', 'dist', 'main.js')],
  };
}

/** The keychain of the system; undefined where it is absent, or seals with a key that everyone knows. */
function keychain(): SecretBox | undefined {
  if (!safeStorage.isEncryptionAvailable()) return undefined;
  if (process.platform === 'linux' && safeStorage.getSelectedStorageBackend() === 'basic_text') return undefined;
  return {
    seal: (text) => safeStorage.encryptString(text),
    open: (sealed) => safeStorage.decryptString(Buffer.from(sealed)),
  };
}

/** The folder that was named on the command line. */
function namedFolder(argv: readonly string[], workingDirectory: string): string | undefined {
  const named = argv.slice(app.isPackaged ? 1 : 2).find((word) => !word.startsWith('-'));
  return named === undefined ? undefined : resolve(workingDirectory, named);
}

function open(directory: string | undefined): void {
  const opened = openWindow(
    {
      program: serviceProgram(),
      environment,
      settingsDirectory: settingsDirectory(environment),
      templatesDirectory: places.templates,
      secretBox: keychain(),
    },
    directory,
  );
  const { id } = opened.window.webContents;
  windows.set(id, opened);
  opened.window.on('closed', () => {
    windows.delete(id);
    const closed = opened.host.then((host) => host.close()).finally(() => closing.delete(closed));
    closing.add(closed);
  });
}

/** One handler for each service, so that a page can call nothing else; who calls is checked before anything is read. */
function answerCalls(): void {
  for (const name of Object.keys(services)) {
    ipcMain.handle(channelOf(name), async (event, params: unknown): Promise<CallAnswer> => {
      const window = windows.get(event.sender.id);
      if (window === undefined || !isFromPage(event)) return { error: 'only the page of a window may call its host' };
      try {
        return { result: await callService((await window.host).services, name, params) };
      } catch (error) {
        return { error: error instanceof Error ? error.message : String(error) };
      }
    });
  }
}

function start(): void {
  app.enableSandbox();
  prepareScheme();
  keepPages();
  app.on('second-instance', (_event, argv, workingDirectory) => open(namedFolder(argv, workingDirectory)));
  app.on('activate', () => {
    if (windows.size === 0) open(undefined);
  });
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });
  // Services end before the program does.
  app.on('will-quit', (event) => {
    if (closing.size === 0) return;
    event.preventDefault();
    void Promise.allSettled(closing).then(() => app.quit());
  });
  void app.whenReady().then(() => {
    serveScheme(places.renderer);
    refusePermissions(session.defaultSession);
    answerCalls();
    showMenu(
      (command) => {
        const focused = BrowserWindow.getFocusedWindow();
        if (focused !== null) windows.get(focused.webContents.id)?.emit('menu.command', { command });
      },
      () => open(undefined),
    );
    open(namedFolder(process.argv, process.cwd()));
  });
}

if (app.requestSingleInstanceLock()) start();
else app.quit();
