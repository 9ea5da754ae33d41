export { type BrowserHost, type BrowserHostOptions, startBrowserHost } from './browser/server.ts';
export { settingsDirectory, studioPlaces } from './places.ts';
export type { Attachment } from './service/attached.ts';
export { knownTemplate, readTemplates, writeTemplate } from './templates.ts';
