import { type BlockSpec, type BodyRule, type Origin, writtenName } from '../schema/index.ts';
import { type BodyToDecode, nameOf } from './body.ts';
import type { Report } from './report.ts';

/**
 * Checks what a spec says about several attributes and blocks at once. `parts` are those that were written, `misread` those
 * of them whose value is malformed: what they decide is not known.
 */
export function checkBodyRules(
  values: Readonly<Record<PropertyKey, unknown>>,
  parts: ReadonlyMap<string, Origin>,
  misread: readonly string[],
  body: BodyToDecode,
  spec: BlockSpec,
  report: Report,
): void {
  for (const rule of spec.rules) {
    if ('when' in rule && misread.includes(rule.when)) continue;
    checkRule(rule, values, parts, body, spec, report);
  }
}

function checkRule(
  rule: BodyRule,
  values: Readonly<Record<PropertyKey, unknown>>,
  parts: ReadonlyMap<string, Origin>,
  body: BodyToDecode,
  { blocks }: BlockSpec,
  report: Report,
): void {
  const { origin } = body;
  const title = nameOf(body);
  if (rule.rule === 'together') {
    for (const need of rule.needs)
      if (parts.has(rule.name) && !parts.has(need))
        report('missing-attribute', `${title}: ${rule.name} needs ${need} beside it`, parts.get(rule.name) as Origin);
    return;
  }
  if (rule.rule === 'requiredWhen') {
    const { name, when, is, beside } = rule;
    const place = beside === undefined ? origin : parts.get(beside);
    if (place === undefined || !is.includes(values[when]) || parts.has(name)) return;
    const reason = `when ${when} is ${JSON.stringify(values[when]) ?? 'not written'}`;
    const further = beside === undefined ? '' : ` and ${beside} is written`;
    report('missing-attribute', `${title} needs ${name} ${reason}${further}`, place);
    return;
  }
  if (rule.rule === 'onlyWhen') {
    const value = values[rule.when];
    const at = parts.get(rule.within ?? rule.name);
    const block = rule.within === undefined ? undefined : (values[rule.within] as Record<string, unknown> | undefined);
    const isWritten = rule.within === undefined || block?.[rule.name] !== undefined;
    if (at === undefined || !isWritten || rule.is.includes(value)) return;
    const name = writtenName(rule);
    const meant = rule.is.flatMap((each) => JSON.stringify(each) ?? []).join(' or ');
    report(
      'conflicting-attributes',
      `${title}: ${name} has no effect when ${rule.when} is ${JSON.stringify(value) ?? 'not written'}`,
      at,
      { help: `Write ${rule.when} = ${meant}, or leave out ${name}.` },
    );
    return;
  }
  if (rule.rule === 'inOrder') {
    const [low, high] = [values[rule.low], values[rule.high]];
    const at = parts.get(rule.low);
    if (at !== undefined && parts.has(rule.high) && typeof low === 'number' && typeof high === 'number' && low > high)
      report('contradicting-bounds', `${title}: ${rule.low} is above ${rule.high}`, at, {
        help: `Make ${rule.high} at least as large as ${rule.low}.`,
      });
    return;
  }
  if (rule.rule === 'refused') {
    const at = parts.get(rule.name);
    if (at !== undefined && (!('is' in rule) || values[rule.name] === rule.is))
      report('invalid-value', `${title}: ${refusedText(rule)} is refused: ${rule.says}`, at, {
        help: `Leave out ${rule.name}.`,
      });
    return;
  }
  const written = rule.names.filter((name) => parts.has(name));
  const names = rule.names.join(', ');
  if (written.length > 1 && rule.rule !== 'atLeastOneOf')
    report('conflicting-attributes', `${title} takes only one of ${names}`, parts.get(written[1] as string) as Origin, {
      help: 'Keep one of them.',
      related: [{ message: 'written first here', ...(parts.get(written[0] as string) as Origin) }],
    });
  if (written.length === 0 && rule.rule !== 'atMostOneOf')
    report(
      rule.names.some((name) => Object.hasOwn(blocks, name)) ? 'missing-block' : 'missing-attribute',
      `${title} needs ${rule.rule === 'exactlyOneOf' ? 'exactly' : 'at least'} one of ${names}`,
      origin,
    );
}

function refusedText({ name, ...rule }: Extract<BodyRule, { readonly rule: 'refused' }>): string {
  return 'is' in rule ? `${name} = ${JSON.stringify(rule.is)}` : name;
}
