import { contextBridge, type IpcRendererEvent, ipcRenderer } from 'electron';
import { type CallAnswer, channelOf } from '../shared/channels.ts';
import { type ExposedBridge, hostEvents, services } from '../shared/services.ts';

type Platforms = Readonly<Record<string, ExposedBridge['operatingSystem'] | undefined>>;
const operatingSystems: Platforms = { darwin: 'macos', win32: 'windows' };

async function call(name: string, params: unknown): Promise<unknown> {
  const answer = (await ipcRenderer.invoke(channelOf(name), params)) as CallAnswer;
  if ('error' in answer) throw new Error(answer.error);
  return answer.result;
}

/** The page is given the parameters alone, never the event, which leads back to Electron. */
function on(name: string, listen: (params: unknown) => void): () => void {
  const channel = channelOf(name);
  const heard = (_event: IpcRendererEvent, params: unknown) => listen(params);
  ipcRenderer.on(channel, heard);
  return () => void ipcRenderer.off(channel, heard);
}

function named<T>(names: readonly string[], make: (name: string) => T): Record<string, T> {
  return Object.fromEntries(names.map((name) => [name, make(name)]));
}

contextBridge.exposeInMainWorld('studio', {
  operatingSystem: operatingSystems[process.platform] ?? 'linux',
  call: named(Object.keys(services), (name) => (params: unknown) => call(name, params)),
  on: named(hostEvents, (name) => (listen: (params: unknown) => void) => on(name, listen)),
});
