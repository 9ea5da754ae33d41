import { colourIn, type Declarations, declarationsIn, noDeclarations, pointsIn } from './declarations.ts';
import { familiesIn, isBold, isItalic, type Sheet } from './sheet.ts';
import type { Element } from './tree.ts';

export type Alignment = 'left' | 'right' | 'center' | 'justify';

/** How text is set; elements inside inherit it. Lengths in points. */
export interface TextStyle {
  /** In lower case, the preferred one first. */
  readonly families: readonly string[];
  readonly bold: boolean;
  readonly italic: boolean;
  readonly size: number;
  readonly colour: string;
  readonly align: Alignment;
  readonly underline: boolean;
  readonly strike: boolean;
  /** Blanks and line breaks stay as they are written. */
  readonly keepsBlanks: boolean;
  /** Points above the baseline of text. */
  readonly raised: number;
  readonly link: string | undefined;
}

/** An element with what is said of its style. */
export interface Styled {
  readonly text: TextStyle;
  /** What is not inherited, by property. */
  readonly own: Declarations;
}

const headings: Readonly<Record<string, number>> = { h1: 24, h2: 20, h3: 16, h4: 14, h5: 12, h6: 10 };
const smaller = 0.75;

/** The style of an element inside of one with the style `around`. */
export function styleOf(element: Element, around: TextStyle, sheet: Sheet): Styled {
  const text = ofElement(element, around);
  const { style } = element.attributes;
  const rules = sheet.isEmpty ? [] : sheet.of(element);
  if (style === undefined && rules.length === 0) return { text, own: presented(element) };
  const own = new Map(presented(element));
  for (const declarations of [...rules, style === undefined ? noDeclarations : declarationsIn(style)])
    for (const [property, value] of declarations) own.set(property, value);
  return { text: declared(text, own, around.size), own };
}

/** What the name of an element says of its text. */
function ofElement({ name, attributes }: Element, style: TextStyle): TextStyle {
  const heading = Object.hasOwn(headings, name) ? headings[name] : undefined;
  if (heading !== undefined) return { ...style, bold: true, size: heading };
  switch (name) {
    case 'b':
    case 'strong':
      return { ...style, bold: true };
    case 'th':
      return { ...style, bold: true };
    case 'i':
    case 'em':
    case 'cite':
    case 'dfn':
    case 'var':
      return { ...style, italic: true };
    case 'u':
    case 'ins':
      return { ...style, underline: true };
    case 's':
    case 'strike':
    case 'del':
      return { ...style, strike: true };
    case 'small':
      return { ...style, size: style.size * 0.83 };
    case 'sub':
      return { ...style, size: style.size * smaller, raised: style.raised - style.size * 0.15 };
    case 'sup':
      return { ...style, size: style.size * smaller, raised: style.raised + style.size * 0.35 };
    case 'code':
    case 'kbd':
    case 'samp':
    case 'tt':
      return { ...style, families: ['courier', ...style.families] };
    case 'pre':
      return { ...style, families: ['courier', ...style.families], keepsBlanks: true };
    case 'center':
      return { ...style, align: 'center' };
    case 'table':
      return { ...style, size: Math.min(style.size, 10) };
    case 'a':
      return /^(?:https?|mailto|tel):/i.test(attributes['href'] ?? '') ? { ...style, link: attributes['href'] } : style;
    default:
      return style;
  }
}

/** Attributes that mean a style. */
function presented({ attributes }: Element): Declarations {
  const { align, bgcolor, width, height } = attributes;
  if (align === undefined && bgcolor === undefined && width === undefined && height === undefined)
    return noDeclarations;
  const given = { 'text-align': align, 'background-color': bgcolor, width, height };
  return new Map(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
}

function declared(style: TextStyle, own: Declarations, around: number): TextStyle {
  const families = own.get('font-family');
  const weight = own.get('font-weight');
  const slant = own.get('font-style');
  const size = pointsIn(own.get('font-size'), around, around);
  const colour = colourIn(own.get('color'));
  const align = own.get('text-align')?.toLowerCase();
  const line = own.get('text-decoration')?.toLowerCase();
  const space = own.get('white-space')?.toLowerCase();
  return {
    ...style,
    ...(families && { families: [...familiesIn(families), ...style.families] }),
    ...(weight && { bold: isBold(weight) }),
    ...(slant && { italic: isItalic(slant) }),
    ...(size !== undefined && size > 0 && { size: Math.min(size, 500) }),
    ...(colour && { colour }),
    ...(align && isAlignment(align) && { align }),
    ...(line && { underline: line.includes('underline'), strike: line.includes('line-through') }),
    ...(space && { keepsBlanks: /^(?:pre|break-spaces)/.test(space) }),
  };
}

function isAlignment(word: string): word is Alignment {
  return word === 'left' || word === 'right' || word === 'center' || word === 'justify';
}
