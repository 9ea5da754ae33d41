/** The versions of SOAP, by what a configuration writes. */
export type SoapVersion = '1.1' | '1.2';

/** What differs between the versions. */
export interface VersionWords {
  readonly version: SoapVersion;
  /** The namespace of envelopes. */
  readonly namespace: string;
  /** The type of a body in lower case, without parameters. */
  readonly mediaType: string;
  readonly contentType: string;
}

/** SOAP 1.1 (W3C Note of 8 May 2000) and SOAP 1.2 (W3C Recommendation of 27 April 2007). */
export const versions: Readonly<Record<SoapVersion, VersionWords>> = {
  '1.1': {
    version: '1.1',
    namespace: 'http://schemas.xmlsoap.org/soap/envelope/',
    mediaType: 'text/xml',
    contentType: 'text/xml; charset=utf-8',
  },
  '1.2': {
    version: '1.2',
    namespace: 'http://www.w3.org/2003/05/soap-envelope',
    mediaType: 'application/soap+xml',
    contentType: 'application/soap+xml; charset=utf-8',
  },
};

const byNamespace = new Map(Object.values(versions).map(({ namespace, version }) => [namespace, version]));

/** The version of a namespace of envelopes; undefined for another one. */
export function versionOf(namespace: string): SoapVersion | undefined {
  return byNamespace.get(namespace);
}

/** The namespace of what a service says when its configuration names none. */
export const defaultNamespace = 'http://tempuri.org/';

/** The address that names an operation in requests: `<namespace>/<operation>`. */
export function actionOf(namespace: string | undefined, operation: string): string {
  if (namespace === undefined) return operation;
  return `${namespace}${namespace.endsWith('/') ? '' : '/'}${operation}`;
}
