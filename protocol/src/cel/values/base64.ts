const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Base64 with padding, RFC 4648 section 4. */
export function encodeBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at;
    const group = ((bytes[at] as number) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    text += alphabet.charAt(group >> 18) + alphabet.charAt((group >> 12) & 63);
    text += left > 1 ? alphabet.charAt((group >> 6) & 63) : '=';
    text += left > 2 ? alphabet.charAt(group & 63) : '=';
  }
  return text;
}

/** The bytes of a base64 text, with or without padding; undefined when it is not one. */
export function decodeBase64(text: string): Uint8Array | undefined {
  const digits = text.replace(/={1,2}$/, '');
  if (/[^A-Za-z0-9+/]/.test(digits) || digits.length % 4 === 1) return undefined;
  if (digits.length !== text.length && text.length % 4 !== 0) return undefined;
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4));
  let group = 0;
  let bits = 0;
  let at = 0;
  for (let index = 0; index < digits.length; index++) {
    group = ((group << 6) | alphabet.indexOf(digits.charAt(index))) & 0xffffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[at++] = (group >> bits) & 255;
    }
  }
  return bytes;
}
