import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BrowserWindow, dialog, shell } from 'electron';
import { createHost, type Host, type HostOptions } from '../host/create.ts';
import type { Emit } from '../host/host.ts';
import { channelOf } from '../shared/channels.ts';
import { pageAddress } from './security.ts';

export type WindowOptions = Omit<HostOptions, 'emit' | 'system' | 'directory'>;

/** A window and its host. */
export interface StudioWindow {
  readonly window: BrowserWindow;
  readonly host: Promise<Host>;
  readonly emit: Emit;
}

/** Opens a window on a folder, or on none. */
export function openWindow(options: WindowOptions, directory: string | undefined): StudioWindow {
  const window = new BrowserWindow({
    width: 1440,
    height: 900,
    minWidth: 800,
    minHeight: 500,
    title: 'svc studio',
    backgroundColor: '#16181d',
    webPreferences: {
      preload: join(import.meta.dirname, 'preload.cjs'),
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webviewTag: false,
      spellcheck: false,
    },
  });
  const emit: Emit = (event, params) => {
    if (!window.isDestroyed()) window.webContents.send(channelOf(event), params);
  };
  const system: HostOptions['system'] = {
    chooseFolder: async () => {
      const { canceled, filePaths } = await dialog.showOpenDialog(window, {
        properties: ['openDirectory', 'createDirectory'],
      });
      return canceled ? undefined : filePaths[0];
    },
    openExternal: (url) => shell.openExternal(url),
    saveAs: async (name, content) => {
      const { canceled, filePath } = await dialog.showSaveDialog(window, { defaultPath: name });
      if (canceled || filePath === '') return false;
      await writeFile(filePath, content);
      return true;
    },
  };
  // A folder that is gone since it was named leaves a window without one.
  const host = createHost({ ...options, emit, system, directory }).catch(() =>
    createHost({ ...options, emit, system }),
  );
  window.webContents.on('did-start-navigation', ({ isMainFrame, isSameDocument }) => {
    if (isMainFrame && !isSameDocument) void host.then((each) => each.pageLeft());
  });
  void window.loadURL(pageAddress);
  return { window, host, emit };
}
