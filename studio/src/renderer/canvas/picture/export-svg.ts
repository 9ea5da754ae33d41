import type { OutlineFlow, OutlineStage } from '@svc/protocol/language';
import { lookOfKind, lookOfNode } from '../../theme/connector-kind.ts';
import { type IconName, iconShapes } from '../../theme/icon-shapes.ts';
import { boundsOf } from '../canvas.ts';
import { boxAround } from '../graph/boxes.ts';
import type { ConnectorNode, Drawn, FlowNode, GraphEdge, Point } from '../graph/drawn.ts';
import { families, familyTitles, stagesByFamily } from '../graph/families.ts';
import {
  closedHeight,
  firstPort,
  headHeight,
  heightOfStage,
  laneGap,
  laneHeadHeight,
  laneWidthsOf,
  ruleHeight,
  rulesHeadHeight,
  showsRules,
} from '../graph/sizes.ts';
import { titleInLane } from '../graph/titles.ts';
import { framesOf, type GroupFrame } from '../groups/frames.ts';
import { count } from '../words.ts';
import { firstPortAlone } from './elements.ts';

/** Names of the colours that a picture needs: tokens of the theme without their dashes. */
export const pictureColours = [
  ...['surface-sunken', 'surface-island', 'surface-card', 'border-strong', 'border-faint', 'edge', 'error'],
  ...['text-1', 'text-3', 'gate', 'gate-faint', 'gate-border', 'gather', 'shape', 'deliver'],
  ...['api', 'db', 'queue', 'http', 'cache', 'file', 'notify', 'time'].flatMap((kind) => [
    `k-${kind}`,
    `k-${kind}-faint`,
    `k-${kind}-border`,
  ]),
];

/** Colours by name, as the theme gives them now. */
export type Colours = Readonly<Record<string, string>>;

const margin = 24;
const font = 'Inter, system-ui, sans-serif';
const mono = "'JetBrains Mono', ui-monospace, monospace";

/** The canvas as a picture of its own: SVG text in the given colours, without anything outside of it. */
export function svgOf(
  drawn: Drawn,
  colours: Colours,
  path: (from: Point, to: Point, edge: GraphEdge) => string,
): string {
  const { graph, points } = drawn;
  const frames = framesOf(drawn);
  const box = boxAround([boundsOf(drawn), ...frames]);
  const [width, height] = [box.width + 2 * margin, box.height + 2 * margin];
  const draw = new Drawing(colours);
  const parts = [
    ...frames.map((frame) => draw.frame(frame)),
    ...graph.edges.map((edge) => draw.edge(edge, drawn, path)),
    ...graph.nodes.map((node) => {
      const { x, y } = points.get(node.id) ?? { x: 0, y: 0 };
      const inner = node.kind === 'connector' ? draw.connector(node) : node.isOpen ? draw.card(node) : draw.pill(node);
      return `<g transform="translate(${x} ${y})">${inner}</g>`;
    }),
  ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${box.x - margin} ${box.y - margin} ${width} ${height}" font-family="${font}">`,
    `<rect x="${box.x - margin}" y="${box.y - margin}" width="${width}" height="${height}" fill="${draw.colour('surface-sunken')}"/>`,
    ...parts,
    '</svg>\n',
  ].join('\n');
}

class Drawing {
  readonly #colours: Colours;

  constructor(colours: Colours) {
    this.#colours = colours;
  }

  colour(name: string): string {
    return escaped(this.#colours[name] ?? '#888888');
  }

  frame({ x, y, width, height, group, flows }: GroupFrame): string {
    const title = `${group.name}, ${count(flows.length, 'flow')}`;
    return [
      `<g transform="translate(${x} ${y})">`,
      `<rect width="${width}" height="${height}" rx="12" fill="none" stroke="${this.colour('border-strong')}" stroke-dasharray="2 3"/>`,
      icon(group.by === 'folder' ? 'folder' : 'flows', 12, 8, 16, this.colour('text-3')),
      this.#text(title, 36, 21, 12, 'text-1', width - 48, 500),
      '</g>',
    ].join('');
  }

  edge(edge: GraphEdge, drawn: Drawn, path: (from: Point, to: Point, edge: GraphEdge) => string): string {
    const ends = endsOf(edge, drawn);
    if (ends === undefined) return '';
    const stroke = this.colour(edge.isGhost ? 'error' : 'edge');
    const dash = edge.isGhost ? ' stroke-dasharray="4 4"' : '';
    return `<path d="${path(ends.from, ends.to, edge)}" fill="none" stroke="${stroke}" stroke-width="1.5"${dash}/>`;
  }

  connector({ width, height, connector, detail, isRepeated, side }: ConnectorNode): string {
    const look = connector.declared ? lookOfNode(connector) : { name: 'error' as const, className: '' };
    const isPlain = look.className === '';
    const ink = connector.declared ? this.colour(isPlain ? 'text-3' : look.className) : this.colour('error');
    const stroke = connector.declared ? this.colour('border-strong') : this.colour('error');
    const plate = isPlain ? this.colour('surface-card') : this.colour(`${look.className}-faint`);
    const edge = isPlain ? stroke : this.colour(`${look.className}-border`);
    return [
      this.#box(width, height, 8, stroke, isRepeated || !connector.declared),
      `<rect x="6.5" y="6.5" width="31" height="31" rx="7" fill="${plate}" stroke="${edge}"/>`,
      icon(look.name, 13, 13, 18, ink),
      this.#two(
        connector.name,
        detail || connector.type || '',
        46,
        width - 54,
        connector.declared ? 'text-1' : 'error',
      ),
      this.#port(side === 'source' ? width : 0, height / 2),
    ].join('');
  }

  pill({ width, height, flow, detail }: FlowNode): string {
    return [
      this.#box(width, height, height / 2, this.colour('border-strong'), false),
      icon('flow', 14, 14, 16, this.colour('text-3')),
      this.#two(flow.name, detail, 40, width - 56, 'text-1'),
      this.#port(0, height / 2),
      this.#port(width, height / 2),
    ].join('');
  }

  card({ width, height, flow, detail, kinds, ports }: FlowNode): string {
    const stages = stagesByFamily(flow);
    const nameWidth = flow.name.length * 8;
    const parts = [
      this.#box(width, height, 10, this.colour('border-strong'), false),
      icon('flow', 12, 12, 16, this.colour('text-3')),
      this.#text(flow.name, 36, 25, 13, 'text-1', width - 48, 600),
      this.#text(detail, 44 + nameWidth, 25, 11, 'text-3', width - 60 - nameWidth),
      this.#line(0, headHeight, width, headHeight, 'border-strong'),
    ];
    const laneWidths = laneWidthsOf(flow);
    let x = 0;
    families.forEach((family, at) => {
      const laneWidth = laneWidths[at]!;
      if (at > 0) parts.push(this.#line(x, headHeight, x, height, 'border-faint'));
      parts.push(icon(family as IconName, x + 10, headHeight + 9, 14, this.colour(family)));
      parts.push(this.#text(familyTitles[family], x + 30, headHeight + 20, 11, family, laneWidth - 32, 500));
      parts.push(this.#line(x, headHeight + laneHeadHeight, x + laneWidth, headHeight + laneHeadHeight, family));
      let y = headHeight + laneHeadHeight + laneGap;
      for (const stage of stages.get(family) ?? []) {
        parts.push(
          `<g transform="translate(${x + 8} ${y})">${this.#stage(stage, flow, laneWidth - 16, kinds[stage.id])}</g>`,
        );
        y += heightOfStage(stage) + laneGap;
      }
      x += laneWidth;
    });
    parts.push(this.#port(0, firstPort), ...ports.map(({ top }) => this.#port(width, top)));
    return parts.join('');
  }

  #stage(stage: OutlineStage, flow: OutlineFlow, width: number, kind: string | undefined): string {
    const height = heightOfStage(stage);
    const box = `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6" fill="${this.colour('surface-card')}" stroke="${this.colour('border-strong')}"/>`;
    const { title, detail } = titleInLane(stage, flow);
    if (showsRules(stage)) {
      const lines = stage.rules.map(({ target }, at) =>
        this.#text(target, 20, rulesHeadHeight + at * ruleHeight + 14, 11, 'text-1', width - 24, 400, mono),
      );
      return [box, this.#text(title, 8, 18, 12, 'text-1', width - 16, 500), ...lines].join('');
    }
    const look = kind === undefined ? undefined : lookOfKind(kind);
    const room = width - (look ? 36 : 16);
    return [
      box,
      this.#two(title, detail, 8, room, 'text-1', height),
      look ? icon(look.name, width - 22, 13, 14, this.colour(look.className)) : '',
    ].join('');
  }

  #two(name: string, detail: string, x: number, room: number, colour: string, height = closedHeight): string {
    if (detail === '') return this.#text(name, x, height / 2 + 4, 12, colour, room, 500);
    const top = (height - 32) / 2;
    return this.#text(name, x, top + 12, 12, colour, room, 500) + this.#text(detail, x, top + 27, 11, 'text-3', room);
  }

  #text(
    text: string,
    x: number,
    y: number,
    size: number,
    colour: string,
    room: number,
    weight = 400,
    family = '',
  ): string {
    const most = Math.max(1, Math.floor(room / (size * 0.56)));
    const shown = text.length > most ? `${text.slice(0, most - 1)}…` : text;
    const named = family === '' ? '' : ` font-family="${family}"`;
    return `<text x="${x}" y="${y}" font-size="${size}" font-weight="${weight}"${named} fill="${this.colour(colour)}">${escaped(shown)}</text>`;
  }

  #box(width: number, height: number, radius: number, stroke: string, isDashed: boolean): string {
    const dash = isDashed ? ' stroke-dasharray="4 3"' : '';
    return `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="${radius}" fill="${this.colour('surface-island')}" stroke="${stroke}"${dash}/>`;
  }

  #line(x1: number, y1: number, x2: number, y2: number, colour: string): string {
    return `<path d="M${x1} ${y1}L${x2} ${y2}" stroke="${this.colour(colour)}"/>`;
  }

  #port(x: number, y: number): string {
    return `<circle cx="${x}" cy="${y}" r="3.25" fill="${this.colour('surface-island')}" stroke="${this.colour('edge')}" stroke-width="1.5"/>`;
  }
}

/** Where an edge begins and ends; undefined while one of its nodes is not drawn. */
function endsOf({ id, source, target, direction }: GraphEdge, { graph: { nodes }, points, alone }: Drawn) {
  const [from, to] = [points.get(source), points.get(target)];
  const start = nodes.find((node) => node.id === source);
  const end = nodes.find((node) => node.id === target);
  if (!from || !to || !start || !end) return undefined;
  const port = start.kind === 'flow' ? start.ports.find((one) => one.id === id) : undefined;
  if (alone !== undefined) {
    const left = end.kind === 'flow' ? firstPortAlone : end.width / 2;
    return {
      from: { x: from.x + (port?.left ?? start.width / 2), y: from.y + start.height },
      to: { x: to.x + left, y: to.y },
    };
  }
  const leaves = port?.top ?? closedHeight / 2;
  const comes = direction === 'in' && end.kind === 'flow' && end.isOpen ? firstPort : closedHeight / 2;
  return { from: { x: from.x + start.width, y: from.y + leaves }, to: { x: to.x, y: to.y + comes } };
}

/** The shapes are constants of this program. */
function icon(name: IconName, x: number, y: number, size: number, colour: string): string {
  return `<g transform="translate(${x} ${y}) scale(${size / 16})" fill="none" stroke="${colour}" color="${colour}" stroke-width="1.25" stroke-linecap="round" stroke-linejoin="round">${iconShapes[name]}</g>`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** A text for XML: with entities, and without letters that XML does not have. */
function escaped(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}]/gu, ' ').replace(/[&<>"']/g, (letter) => entities[letter] as string);
}
