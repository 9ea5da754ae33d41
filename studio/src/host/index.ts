export type { Attachment } from './attached.ts';
export { type BrowserHost, type BrowserHostOptions, startBrowserHost } from './browser/server.ts';
export { settingsDirectory, studioPlaces } from './places.ts';
