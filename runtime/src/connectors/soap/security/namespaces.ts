/** The namespaces of WS-Security 1.0 and of its user name tokens (OASIS, 2004; profile 1.0). */
export const ofSecurity = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';
export const ofUtility = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd';

const profile = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0';
export const passwordText = `${profile}#PasswordText`;
export const passwordDigest = `${profile}#PasswordDigest`;
export const base64Encoding =
  'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#Base64Binary';
