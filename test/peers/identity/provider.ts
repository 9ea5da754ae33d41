import type { Client } from './clients.ts';

/** An identity provider that runs, with one account and the clients. */
export interface Provider {
  readonly issuer: string;
  readonly endpoints: { readonly authorize: string; readonly token: string; readonly profile: string };
  readonly keySet: string;
  /** The audience of the tokens that it gives a machine. */
  readonly audience: string;
  /** Of those that were asked for, the clients that it can know. */
  readonly clients: readonly Client[];
  /** Signs the one account in, from the address of a request on; gives where the provider sends the browser. */
  signIn(url: string): Promise<string>;
  /** A token that the provider gives a machine of its own. */
  machineToken(): Promise<string>;
  /** Signs tokens with another key from now on. */
  rotate(): Promise<void>;
  stop(): Promise<void>;
}

/** What a provider is started with. */
export interface Ground {
  /** Certificates: `ca.pem`, `server.pem` for `localhost`, `client.pem` of the subject `CN=shop`. */
  readonly folder: string;
  readonly publicKeys: ReadonlyMap<string, object>;
  /** Where the service is that it sends browsers back to, and the paths there. */
  readonly returns: readonly string[];
}

/** The account that signs in. */
export const account = {
  name: 'ana',
  fullName: 'Ana Reyes',
  email: 'ana@example.test',
  password: 'correct horse battery',
} as const;
