import { codecOf } from '../../../platform/formats/registry.ts';
import type { Envelopes } from './envelope.ts';

/** Loads what a protocol is made of, and no other one. */
export async function envelopesOf(protocol: string): Promise<Envelopes> {
  if (protocol === 'msgpack') return (await import('./msgpack.ts')).messagePackEnvelopes();
  const json = await codecOf('json');
  if (protocol === 'nestjs') return (await import('./nestjs.ts')).nestEnvelopes(json);
  return (await import('./json.ts')).jsonEnvelopes(json);
}
