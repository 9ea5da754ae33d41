import type { Values } from '@svc/protocol/schema';
import type { Factory } from '../../foundation/contracts/connector.ts';
import { DocumentConnector } from './documents.ts';
import { pageSizes } from './page-sizes.ts';
import type { DocumentJob } from './paint/document.ts';
import type { pdf } from './spec.ts';
import { documentOf } from './threads/threads.ts';

type PdfConfig = Values<(typeof pdf)['config']>;

/** Documents are made by threads beside the event loop. */
export const create: Factory<typeof pdf> = (name, config, services) => {
  const setting = pageOf(config);
  return new DocumentConnector(name, config, services, {
    make: (page, signal) => documentOf({ ...setting, ...page }, signal),
  });
};

type PageSetting = Omit<DocumentJob, 'html' | 'root' | 'template'>;

const millimetre = 72 / 25.4;

function pageOf(config: PdfConfig): PageSetting {
  const [short, long] = pageSizes[config.page_size];
  const [width, height] = config.orientation === 'portrait' ? [short, long] : [long, short];
  const points = (margin: number) => (margin === 0 ? 15 : margin) * millimetre;
  return {
    width,
    height,
    left: points(config.margin_left),
    top: points(config.margin_top),
    right: points(config.margin_right),
    font: config.font,
    mostPages: config.max_pages,
  };
}
