import { parse } from '@cdktf/hcl2json';

/** What HashiCorp's own parser makes of a text: its values, a refusal, or nothing where only the conversion failed. */
export type Verdict =
  | { readonly accepted: true; readonly value: unknown }
  | { readonly accepted: false; readonly reason: string }
  | { readonly accepted: undefined };

const NOT_READABLE = /^parse config:/;

export async function askOracle(source: string): Promise<Verdict> {
  try {
    return { accepted: true, value: await parse('corpus.hcl', source) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return NOT_READABLE.test(reason) ? { accepted: false, reason } : { accepted: undefined };
  }
}
