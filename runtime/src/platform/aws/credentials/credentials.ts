/** Who signs requests. */
export interface Credentials {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly sessionToken: string | undefined;
  /** Milliseconds since 1970 at which they end; undefined: they do not. */
  readonly expires: number | undefined;
}

/** Gives credentials, and others once those have ended. */
export interface CredentialSource {
  /** Rejects with a Failure that says where credentials were looked for. */
  get(signal: AbortSignal): Promise<Credentials>;
  /** The server took these no longer. Whether others can be had. */
  refused(credentials: Credentials): boolean;
}

/** Those that the configuration has. */
export function fixedCredentials(
  accessKey: string,
  secretKey: string,
  sessionToken: string | undefined,
): CredentialSource {
  const credentials = { accessKey, secretKey, sessionToken, expires: undefined };
  return { get: async () => credentials, refused: () => false };
}

/** A text of the server without the credentials that it may have repeated. */
export function withoutSecrets(text: string, { accessKey, secretKey, sessionToken }: Credentials): string {
  let shown = text;
  for (const secret of [secretKey, sessionToken, accessKey])
    if (secret !== undefined && secret !== '') shown = shown.replaceAll(secret, '***');
  return shown;
}
