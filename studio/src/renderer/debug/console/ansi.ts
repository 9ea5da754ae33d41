/** A text without the sequences that colour a terminal (ECMA-48: CSI and OSC). */
export function withoutAnsi(text: string): string {
  return text.replaceAll(/\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[@-Z\\-_])/g, '');
}
