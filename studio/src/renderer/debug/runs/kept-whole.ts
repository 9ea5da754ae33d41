import { mask } from '../../values/mask.ts';
import { isCredential } from '../../values/tokens.ts';
import { cutOff, isContainer } from '../../values/values.ts';

/**
 * Whether a value of an event is as it was: not cut at the limits of events (`… (5000 characters)`, `12 more`, `{…}`),
 * and nothing of it masked. What a service says in place of these cannot be distinguished from a value that says the same.
 */
export function wholeness(value: unknown): { readonly isCut: boolean; readonly isMasked: boolean } {
  let isCut = false;
  let isMasked = false;
  const look = (each: unknown) => {
    if (each === mask) isMasked = true;
    else if (typeof each === 'string') isCut ||= /… \(\d+ characters\)$|^[[{]…[\]}]$|^\[bytes …\]$/.test(each);
    else if (isContainer(each)) {
      isCut ||= cutOff(each) !== undefined;
      for (const member of Object.values(each)) look(member);
    }
  };
  look(value);
  return { isCut, isMasked };
}

/** Without its masked members, in lists too. */
export function withoutMasked(value: unknown): unknown {
  return without(value, (_, item) => item === mask);
}

const secretNames = /passw|secret|passphrase|api_?key|credential|(?:^|[_-])token$/i;

/**
 * Without what is masked, and without credentials that a service shows in development: what is written into files of
 * the project is read by others.
 */
export function withoutSecrets(value: unknown): unknown {
  const isSecret = (name: string, item: unknown) =>
    item === mask || isCredential(name, item) || (secretNames.test(name) && typeof item === 'string');
  return without(value, isSecret);
}

function without(value: unknown, isLeftOut: (name: string, item: unknown) => boolean): unknown {
  if (Array.isArray(value)) return value.filter((item) => !isLeftOut('', item)).map((item) => without(item, isLeftOut));
  if (!isContainer(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, item]) => !isLeftOut(name, item))
      .map(([name, item]) => [name, without(item, isLeftOut)]),
  );
}
