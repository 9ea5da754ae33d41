export type { OpenedFolder, OpenFolder } from './folders.ts';
export { FrameReader, FramingError, frameHeader } from './framing.ts';
export { LanguageServer, type ServerOptions } from './server.ts';
