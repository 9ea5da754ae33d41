import type { BinaryExpression, BinaryOperator, Expression } from '../ast.ts';
import type { ArithmeticOperator } from '../values/arithmetic.ts';
import { isTime } from '../values/times.ts';
import type { Generator, Names } from './generator.ts';

const comparisons = { '<': 'Less', '<=': 'AtMost', '>': 'Greater', '>=': 'AtLeast' } as const;
const calculations: Record<ArithmeticOperator, string> = {
  '+': 'Add',
  '-': 'Subtract',
  '*': 'Multiply',
  '/': 'Divide',
  '%': 'Remainder',
};

/** Writes a comparison, membership or calculation: numbers and texts at once, everything else by a helper. */
export function generateOperator(
  generator: Generator,
  node: BinaryExpression,
  operator: Exclude<BinaryOperator, '??' | '&&' | '||'>,
  names: Names,
): string {
  const left = generator.write(node.left, names);
  const texts = operator === 'in' ? constantTexts(node.right) : undefined;
  if (texts)
    return generator.temporary(texts.map((text) => `${left} === ${JSON.stringify(text)}`).join(' || ') || 'false');
  const right = generator.write(node.right, names);
  const double = doubleLiteral(node.right);
  switch (operator) {
    case '==':
    case '!=':
      return generator.temporary(equality(generator, left, right, node.right, double, operator));
    case 'in':
      return generator.temporary(`contains(${left}, ${right})`);
    case '<':
    case '<=':
    case '>':
    case '>=': {
      const numbers =
        double === undefined
          ? `typeof ${left} === 'number' && typeof ${right} === 'number'`
          : `typeof ${left} === 'number'`;
      return generator.temporary(
        `${numbers} ? ${left} ${operator} ${double ?? right} : ${generator.options.dialect}${comparisons[operator]}(${left}, ${right})`,
      );
    }
    default:
      return calculation(generator, operator, left, right, double);
  }
}

function equality(
  generator: Generator,
  left: string,
  right: string,
  node: Expression,
  double: string | undefined,
  operator: '==' | '!=',
): string {
  const not = operator === '!=' ? '!' : '';
  if (double !== undefined)
    return `typeof ${left} === 'number' ? ${left} ${operator}= ${double} : ${not}equal(${left}, ${double})`;
  const { dialect } = generator.options;
  const isTimeText =
    dialect === 'product' && node.kind === 'literal' && typeof node.value === 'string' && isTime(node.value);
  if (node.kind === 'literal' && (typeof node.value === 'string' || typeof node.value === 'boolean') && !isTimeText)
    return `${left} ${operator}= ${right}`;
  return `${not}(${left} === ${right} || ${dialect === 'product' ? 'equalTimes' : 'equal'}(${left}, ${right}))`;
}

function calculation(
  generator: Generator,
  operator: ArithmeticOperator,
  left: string,
  right: string,
  double: string | undefined,
): string {
  const mixed = generator.options.dialect === 'product';
  const helper = `${mixed ? 'mixed' : 'strict'}${calculations[operator]}(${left}, ${right})`;
  if (operator === '%') return generator.temporary(helper);
  const name = generator.temporary();
  const known = mixed ? double : undefined;
  const numbers =
    known === undefined ? `typeof ${left} === 'number' && typeof ${right} === 'number'` : `typeof ${left} === 'number'`;
  generator.emit(`if (${numbers}) ${name} = ${left} ${operator} ${known ?? right};`);
  generator.emit(`else ${name} = ${helper};`);
  if (operator === '+' && generator.loops > 0) generator.emit(`if ((meter.left -= sizeCost(${name})) < 0) throw bail;`);
  return name;
}

/** The double that represents a number literal without loss. */
function doubleLiteral(node: Expression): string | undefined {
  if (node.kind !== 'literal') return undefined;
  const number = typeof node.value === 'bigint' ? Number(node.value) : node.value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return undefined;
  if (typeof node.value === 'bigint' && !Number.isSafeInteger(number)) return undefined;
  return number < 0 || Object.is(number, -0) ? `(${number === 0 ? '-0' : number})` : String(number);
}

/** The texts of a short list literal of texts only. */
function constantTexts(node: Expression): readonly string[] | undefined {
  if (node.kind !== 'list' || node.elements.length > 8) return undefined;
  const texts: string[] = [];
  for (const { value, optional } of node.elements) {
    if (optional || value.kind !== 'literal' || typeof value.value !== 'string') return undefined;
    texts.push(value.value);
  }
  return texts;
}
