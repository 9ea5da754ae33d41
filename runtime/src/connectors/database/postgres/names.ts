/** Statements that are kept prepared on each connection; more of them are sent as text each time. */
const kept = 500;

/** Names of prepared statements: one for each text, and a new one when the server's plan for it went stale. */
export class StatementNames {
  private readonly names = new Map<string, string>();
  private count = 0;

  nameOf(text: string): string | undefined {
    const known = this.names.get(text);
    if (known !== undefined) return known;
    if (this.names.size >= kept) return undefined;
    const name = `svc_${++this.count}`;
    this.names.set(text, name);
    return name;
  }

  /** The next use of this text is prepared again. */
  renew(text: string): void {
    this.names.delete(text);
  }
}
