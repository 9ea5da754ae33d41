import type { LanguageService } from '../language/index.ts';
import type { DecodedText } from '../text/index.ts';
import { FolderUri } from './uri.ts';

/** One service directory as the host opened it, with every configuration file provided to the service. */
export interface OpenedFolder {
  /** URI of the directory. */
  readonly uri: string;
  readonly service: LanguageService;
  /** Whether a path below the directory is configuration. */
  isConfiguration(path: string): boolean;
  /** The stored text of a file; undefined when it is not there. */
  read(path: string): Promise<DecodedText | undefined>;
  /** Looks again at what the environment and the files that configuration names say. */
  refresh(): Promise<void>;
}

/** Opens the service of a folder of the editor. Rejects when it cannot be read. */
export type OpenFolder = (uri: string) => Promise<OpenedFolder>;

/** A folder with its URIs, and the versions of the documents that the editor has open. */
export class Folder {
  readonly opened: OpenedFolder;
  readonly uri: FolderUri;
  /** Version by path. */
  readonly versions = new Map<string, number>();
  /** What was last said about each file, as text. */
  readonly said = new Map<string, string>();

  constructor(opened: OpenedFolder) {
    this.opened = opened;
    this.uri = new FolderUri(opened.uri);
  }

  get service(): LanguageService {
    return this.opened.service;
  }

  /** The path of a configuration file of this folder. */
  pathOf(uri: string): string | undefined {
    const path = this.uri.pathOf(uri);
    return path !== undefined && this.opened.isConfiguration(path) ? path : undefined;
  }
}
