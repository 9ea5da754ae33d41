import { freePort } from '../../test/support/free-port.ts';
import { openStudio, type StudioOptions, type StudioWindow } from '../../test/support/studio-window.ts';
import { pollOptions } from './pages/poll-options.ts';
import { Workbench } from './pages/workbench.ts';

/** A window whose service will listen on ports of its own. */
export interface OpenedWindow extends StudioWindow {
  readonly workbench: Workbench;
  /** Where the service listens once it runs, in `PORT`: `http://127.0.0.1:<port>`. */
  readonly service: string;
}

/** A window with a fresh copy of the orders service in it. */
export interface Journey extends OpenedWindow {
  readonly directory: string;
}

export async function openWindow({ env, ...options }: StudioOptions = {}): Promise<OpenedWindow> {
  const [port, adminPort] = [await freePort(), await freePort()];
  const ports = { PORT: String(port), ADMIN_PORT: String(adminPort) };
  const window = await openStudio({ ...options, env: { ...ports, ...env } });
  window.page.setDefaultTimeout(pollOptions.timeout);
  return { ...window, workbench: new Workbench(window.page), service: `http://127.0.0.1:${port}` };
}
