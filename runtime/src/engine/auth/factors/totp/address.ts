import type { SharedSecret } from './code.ts';

/** Pixels of a side of the picture. */
const side = 200;

/**
 * The address that hands a secret over to an authenticator app: `otpauth://totp/<issuer>:<account>?secret=…&issuer=…`, with
 * every parameter, since apps do not agree on what holds without them (Key Uri Format of Google Authenticator).
 */
export function provisioningUri(
  { secret, algorithm, digits, period }: SharedSecret,
  issuer: string,
  account: string,
): string {
  // A colon ends the issuer.
  const label = [issuer.replaceAll(':', ' '), account].map(encodeURIComponent).join(':');
  const parameters = { secret, issuer, algorithm, digits: String(digits), period: String(period) };
  // Apps read `+` literally.
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `otpauth://totp/${label}?${query.join('&')}`;
}

/** A text as a picture that cameras read: the data URL of a PNG. */
export async function pictureOf(text: string): Promise<string> {
  const { default: pictures } = await import('qrcode');
  return pictures.toDataURL(text, { type: 'image/png', width: side, errorCorrectionLevel: 'M' });
}
