import { type ExpandedName, NamespaceScope } from '../xml/namespaces.ts';
import { XmlReader } from '../xml/reader.ts';

/** An element of a document, with the names that its attributes mean. */
export interface XmlElement extends ExpandedName {
  /** Attributes without a prefix. */
  readonly attributes: Readonly<Record<string, string>>;
  /** What those of them mean that hold a name with a prefix, such as `type="tns:Order"`. */
  readonly names: ReadonlyMap<string, ExpandedName>;
  readonly children: readonly XmlElement[];
  /** The texts directly inside, without blanks around them. */
  readonly text: string;
  /** The document that it is in, and the offset at which it begins there. */
  readonly file: string;
  readonly start: number;
}

interface OpenElement extends XmlElement {
  readonly children: XmlElement[];
  text: string;
}

/** Attributes of WSDL and XML Schema that hold a name. */
const holdNames: readonly string[] = ['type', 'element', 'base', 'ref', 'message', 'binding', 'itemType'];

/** Levels and attributes that no description has. */
const budget = { depth: 100, keys: 1000 };

/** The root of a document, which is called `file`. Throws `body_undecodable` for what is not XML with namespaces, or has a document type. */
export function readElements(text: string, file: string): XmlElement {
  const plain = text.replace(/^\uFEFF/, '');
  const scope = new NamespaceScope();
  const open: OpenElement[] = [];
  let root: XmlElement | undefined;
  const reader = new XmlReader(
    {
      open: (name, written) => {
        scope.open(written);
        // No tag has a `<` inside of it.
        const start = plain.lastIndexOf('<', reader.position - 1);
        const named = { ...scope.element(name), ...attributesOf(written, scope) };
        const element = { ...named, children: [], text: '', file, start };
        open.at(-1)?.children.push(element);
        root ??= element;
        open.push(element);
      },
      close: () => {
        scope.close();
        const closed = open.pop() as OpenElement;
        closed.text = closed.text.trim();
      },
      text: (piece) => {
        const around = open.at(-1);
        if (around !== undefined) around.text += piece;
      },
    },
    budget,
  );
  reader.write(plain);
  reader.end();
  return root as XmlElement;
}

function attributesOf(
  written: Readonly<Record<string, string>>,
  scope: NamespaceScope,
): Pick<XmlElement, 'attributes' | 'names'> {
  const plain = Object.entries(written).filter(([name]) => !name.includes(':'));
  const named = plain.filter(([name]) => holdNames.includes(name));
  return {
    attributes: Object.fromEntries(plain),
    names: new Map(named.map(([name, value]) => [name, scope.element(value.trim())])),
  };
}

/** The children of a name, in any of these namespaces. */
export function childrenOf(
  { children }: XmlElement,
  local: string,
  ...namespaces: readonly string[]
): readonly XmlElement[] {
  return children.filter((child) => child.local === local && namespaces.includes(child.namespace));
}

/** A name for maps: two are equal when namespace and local name are. */
export function keyOf({ namespace, local }: ExpandedName): string {
  return `{${namespace}}${local}`;
}
