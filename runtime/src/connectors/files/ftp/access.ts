/** How a server is reached, and who says so. */
export interface Access {
  readonly connector: string;
  readonly host: string;
  readonly port: number;
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** Folder that paths begin at, as it is written; empty where the server puts the user. */
  readonly basePath: string;
  /** Milliseconds that the server may leave something without an answer. */
  readonly timeout: number;
}
