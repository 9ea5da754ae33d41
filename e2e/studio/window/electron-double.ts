import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import type { BrowserContext, Frame, Page, Request } from 'playwright-core';

/** What replaces `app://studio` in the browser: Chromium alone does not know the scheme. */
const outside = 'https://app-studio.invalid';
const inside = 'app://studio';

const shown = (url: string) =>
  url === inside || url.startsWith(`${inside}/`) ? outside + url.slice(inside.length) : url;
const meant = (url: string) =>
  url === outside || url.startsWith(`${outside}/`) ? inside + url.slice(outside.length) : url;

type Handle = (event: object, params: unknown) => unknown;
type Preferences = Readonly<Record<string, unknown>>;

/** An event that a handler can prevent. */
class Preventable {
  isPrevented = false;
  [detail: string]: unknown;

  constructor(details: object) {
    Object.assign(this, details);
  }

  preventDefault(): void {
    this.isPrevented = true;
  }
}

/**
 * Replaces Electron under the built main and preload scripts, over pages of a real Chromium: messages are cloned as
 * they are between processes, the preload script can require `electron` alone, windows without isolation are refused.
 */
export class ElectronDouble {
  readonly windows: DoubleWindow[] = [];
  readonly handlers = new Map<string, Handle>();
  /** What was asked of the system. */
  readonly opened: string[] = [];
  /** How many windows pages opened that the main script did not allow. */
  refusedWindows = 0;
  /** Answers of the next dialogs. */
  readonly dialogs: object[] = [];
  readonly switches: string[] = [];
  readonly context: BrowserContext;
  menu: readonly MenuItem[] = [];
  permissions: { request?: PermissionRequest; check?: PermissionCheck } = {};
  hasQuit = false;
  serve: ((request: Request) => Promise<Response>) | undefined;
  readonly app = new EventEmitter();

  constructor(context: BrowserContext) {
    this.context = context;
  }

  /** Runs a built main script. Once in a process: a module is loaded once. */
  async run(main: string, argv: readonly string[] = []): Promise<void> {
    await this.context.route(`${outside}/**`, async (route) => {
      const page = route.request();
      if (page.isNavigationRequest() && !this.#mayNavigate(page)) return route.abort('aborted');
      const answer = await this.serve?.(page);
      if (answer === undefined) return route.abort('failed');
      const body = Buffer.from(await answer.arrayBuffer());
      await route.fulfill({ status: answer.status, headers: Object.fromEntries(answer.headers), body });
    });
    await this.context.route(
      (url) => !meant(url.href).startsWith(inside),
      (route) => {
        const page = route.request();
        if (page.isNavigationRequest() && this.#mayNavigate(page)) return route.fulfill({ body: 'elsewhere' });
        return route.abort('aborted');
      },
    );
    const key = `electron-double-${Math.random()}`;
    (globalThis as Record<string, unknown>)[key] = this.#module();
    const names = Object.keys(this.#module());
    const source = names.map((name) => `export const ${name} = globalThis[${JSON.stringify(key)}].${name};`).join('\n');
    const url = 'electron:double';
    const hooks = registerHooks({
      resolve: (specifier, context, next) =>
        specifier === 'electron' ? { url, shortCircuit: true } : next(specifier, context),
      load: (asked, context, next) =>
        asked === url ? { format: 'module', source, shortCircuit: true } : next(asked, context),
    });
    const kept = process.argv;
    process.argv = [process.execPath, main, ...argv];
    try {
      // As Node itself loads it: a test runner would take an import for one of its own.
      createRequire(import.meta.url)(main);
    } finally {
      process.argv = kept;
      hooks.deregister();
    }
  }

  /** Calls a channel as a sender other than the page of a window would. */
  async callAs(channel: string, event: object, params: unknown): Promise<unknown> {
    return this.handlers.get(channel)?.(event, params);
  }

  /** Tells handlers of the main script that a page wants to go somewhere. */
  #mayNavigate(request: Request): boolean {
    const frame = frameOf(request);
    if (frame === undefined) return this.#mayOpen(meant(request.url()));
    const window = this.windows.find((each) => each.page === frame.page());
    if (window === undefined) return false;
    const isMainFrame = frame.parentFrame() === null;
    if (isMainFrame && window.loading === request.url()) return true;
    const event = new Preventable({ url: meant(request.url()), isMainFrame });
    const { webContents } = window;
    webContents.emit('will-frame-navigate', event);
    if (isMainFrame) webContents.emit('will-navigate', event);
    return !event.isPrevented;
  }

  #mayOpen(url: string): boolean {
    const isAllowed = this.windows.every(({ openHandler }) => openHandler?.({ url }).action === 'allow');
    if (!isAllowed) this.refusedWindows++;
    return isAllowed;
  }

  /** A keychain whose key no other process has. */
  #keychain() {
    const key = randomBytes(32);
    return {
      isEncryptionAvailable: () => true,
      getSelectedStorageBackend: () => 'gnome_libsecret',
      encryptString: (text: string) => {
        const start = randomBytes(12);
        const cipher = createCipheriv('aes-256-gcm', key, start);
        return Buffer.concat([start, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      },
      decryptString: (sealed: Buffer) => {
        const cipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12));
        cipher.setAuthTag(sealed.subarray(-16));
        return cipher.update(sealed.subarray(12, -16), undefined, 'utf8') + cipher.final('utf8');
      },
    };
  }

  #module(): Record<string, unknown> {
    const double = this;
    const app = Object.assign(this.app, {
      isPackaged: false,
      enableSandbox: () => void this.switches.push('sandbox'),
      requestSingleInstanceLock: () => true,
      whenReady: async () => undefined,
      quit: () => {
        const event = new Preventable({});
        this.app.emit('will-quit', event);
        this.hasQuit = !event.isPrevented;
      },
    });
    return {
      app,
      ipcMain: {
        handle: (channel: string, handle: Handle) => {
          if (this.handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`);
          this.handlers.set(channel, handle);
        },
      },
      BrowserWindow: class extends DoubleWindow {
        constructor(options: { readonly webPreferences: Preferences }) {
          super(double, options.webPreferences);
        }

        static getFocusedWindow() {
          return double.windows[0] ?? null;
        }
      },
      dialog: {
        showOpenDialog: async () => this.dialogs.shift() ?? { canceled: true, filePaths: [] },
        showSaveDialog: async () => this.dialogs.shift() ?? { canceled: true, filePath: '' },
      },
      safeStorage: this.#keychain(),
      shell: { openExternal: async (url: string) => void this.opened.push(url) },
      Menu: {
        buildFromTemplate: (template: readonly MenuItem[]) => template,
        setApplicationMenu: (menu: readonly MenuItem[]) => {
          this.menu = menu;
        },
      },
      protocol: {
        registerSchemesAsPrivileged: ([{ scheme }]: [{ readonly scheme: string }]) => this.switches.push(scheme),
        handle: (_scheme: string, handle: (request: { method: string; url: string }) => Promise<Response>) => {
          this.serve = (request) => handle({ method: request.method(), url: meant(request.url()) });
        },
      },
      session: {
        defaultSession: {
          setPermissionRequestHandler: (request: PermissionRequest) => {
            this.permissions.request = request;
          },
          setPermissionCheckHandler: (check: PermissionCheck) => {
            this.permissions.check = check;
          },
          setDevicePermissionHandler: () => undefined,
        },
      },
    };
  }
}

/** Undefined for the first request of a page that another one opens. */
function frameOf(request: Request): Frame | undefined {
  try {
    return request.frame();
  } catch {
    return undefined;
  }
}

type PermissionRequest = (contents: object, permission: string, answer: (isAllowed: boolean) => void) => void;
type PermissionCheck = (contents: object | null, permission: string) => boolean;

export interface MenuItem {
  readonly label?: string;
  readonly submenu?: readonly MenuItem[];
  readonly click?: () => void;
}

interface Contents extends EventEmitter {
  readonly id: number;
  send(channel: string, params: unknown): void;
  getURL(): string;
  setWindowOpenHandler(handle: (details: { readonly url: string }) => { readonly action: string }): void;
}

/** A window: one page of Chromium, with the preload script in it before any other. */
export class DoubleWindow extends EventEmitter {
  readonly webContents: Contents;
  readonly preferences: Preferences;
  readonly ready: Promise<Page>;
  page: Page | undefined;
  /** What the main script itself loads is not a navigation of the page. */
  loading: string | undefined;
  openHandler: ((details: { readonly url: string }) => { readonly action: string }) | undefined;
  readonly #double: ElectronDouble;

  constructor(double: ElectronDouble, preferences: Preferences) {
    super();
    if (preferences['nodeIntegration'] === true || preferences['contextIsolation'] === false)
      throw new Error('a window without isolation is refused');
    this.#double = double;
    this.preferences = preferences;
    this.webContents = Object.assign(new EventEmitter(), {
      id: double.windows.length + 1,
      send: (channel: string, params: unknown) => {
        const words = [channel, structuredClone(params)].map((each) => JSON.stringify(each)).join();
        void this.page?.evaluate(`__deliver(${words})`).catch(() => undefined);
      },
      getURL: () => meant(this.page?.url() ?? ''),
      setWindowOpenHandler: (handle: NonNullable<DoubleWindow['openHandler']>) => {
        this.openHandler = handle;
      },
    });
    double.windows.push(this);
    double.app.emit('web-contents-created', {}, this.webContents);
    this.ready = this.#open();
  }

  isDestroyed(): boolean {
    return this.page?.isClosed() === true;
  }

  async loadURL(url: string): Promise<void> {
    const page = await this.ready;
    this.loading = shown(url);
    await page.goto(this.loading);
    this.loading = undefined;
  }

  async #open(): Promise<Page> {
    const page = await this.#double.context.newPage();
    this.page = page;
    await page.exposeBinding('__invoke', async ({ frame }, channel: string, params: unknown) => {
      const handle = this.#double.handlers.get(channel);
      if (handle === undefined) throw new Error(`No handler registered for '${channel}'`);
      const senderFrame = { url: meant(frame.url()), parent: frame.parentFrame() };
      return structuredClone(await handle({ sender: this.webContents, senderFrame }, structuredClone(params)));
    });
    await page.addInitScript(preloadScript(readFileSync(this.preferences['preload'] as string, 'utf8')));
    page.on('framenavigated', (frame) => {
      const isMainFrame = frame.parentFrame() === null;
      this.webContents.emit('did-start-navigation', { isMainFrame, isSameDocument: false });
    });
    page.on('close', () => {
      this.#double.windows.splice(this.#double.windows.indexOf(this), 1);
      this.emit('closed');
      if (this.#double.windows.length === 0) this.#double.app.emit('window-all-closed');
    });
    return page;
  }
}

/** The preload script with the little of Electron that a sandboxed one has. It runs in the main frame only. */
function preloadScript(source: string): string {
  return `if (window === window.top) (() => {
    const listeners = new Map();
    const invoke = window.__invoke;
    window.__deliver = (channel, params) => (listeners.get(channel) ?? []).slice().forEach((listen) => listen({}, params));
    const freeze = (value) => {
      if (typeof value === 'symbol') throw new Error('An object could not be cloned.');
      if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) freeze(each);
      return Object.freeze(value);
    };
    const electron = {
      contextBridge: { exposeInMainWorld: (name, value) => Object.defineProperty(window, name, { value: freeze(value) }) },
      ipcRenderer: {
        invoke: (channel, params) => invoke(channel, structuredClone(params)),
        on: (channel, listen) => void listeners.set(channel, [...(listeners.get(channel) ?? []), listen]),
        off: (channel, listen) => void listeners.set(channel, (listeners.get(channel) ?? []).filter((each) => each !== listen)),
      },
    };
    const require = (name) => {
      if (name === 'electron') return electron;
      throw new Error('module not found in a sandboxed preload script: ' + name);
    };
    const module = { exports: {} };
    (function (require, module, exports, process) {${source}\n})(require, module, module.exports, { platform: 'linux' });
  })()`;
}
