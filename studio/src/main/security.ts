import { app, type IpcMainInvokeEvent, protocol, type Session, type WebContents } from 'electron';
import { readAsset } from '../host/assets.ts';

const scheme = 'app';
const host = 'studio';

/** Where the page of every window is. */
export const pageAddress = `${scheme}://${host}/index.html`;

/** Called before the system is ready. */
export function prepareScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme, privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ]);
}

/** Serves what was built of the studio, and nothing else. */
export function serveScheme(directory: string): void {
  protocol.handle(scheme, async ({ method, url }) => {
    const address = new URL(url);
    const asset = isOwn(url) && method === 'GET' ? await readAsset(directory, address.pathname) : undefined;
    if (asset === undefined) return new Response('There is nothing here.\n', { status: 404 });
    return new Response(asset.bytes, { headers: asset.headers });
  });
}

/**
 * Whether an address is one of the studio's own pages: its parts are compared, since a text may begin in the same way.
 */
export function isOwn(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const address = new URL(url);
  return (
    address.protocol === `${scheme}:` && address.host === host && address.username === '' && address.password === ''
  );
}

/** Whether a call comes from the page itself: not from a frame in it, nor from another page. */
export function isFromPage({ senderFrame }: IpcMainInvokeEvent): boolean {
  return senderFrame !== null && senderFrame.parent === null && isOwn(senderFrame.url);
}

/** A page may write to the clipboard, which copying needs, and nothing else that has to be asked for. */
export function refusePermissions(session: Session): void {
  const isAllowed = (contents: WebContents | null, permission: string) =>
    permission === 'clipboard-sanitized-write' && contents !== null && isOwn(contents.getURL());
  session.setPermissionRequestHandler((contents, permission, answer) => answer(isAllowed(contents, permission)));
  session.setPermissionCheckHandler((contents, permission) => isAllowed(contents, permission));
  session.setDevicePermissionHandler(() => false);
}

/** Pages stay where they are: they lead nowhere else, open nothing, and hold no other page. */
export function keepPages(): void {
  app.on('web-contents-created', (_event, contents) => {
    const stay = (event: { readonly url: string; preventDefault(): void }) => {
      if (!isOwn(event.url)) event.preventDefault();
    };
    contents.on('will-navigate', stay);
    contents.on('will-redirect', stay);
    contents.on('will-frame-navigate', (event) => {
      if (!event.isMainFrame || !isOwn(event.url)) event.preventDefault();
    });
    contents.on('will-attach-webview', (event) => event.preventDefault());
    contents.setWindowOpenHandler(() => ({ action: 'deny' }));
  });
}
