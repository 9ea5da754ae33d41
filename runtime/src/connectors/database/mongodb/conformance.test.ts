import { eventSourceConformance } from '../../intake/testing/conformance.ts';
import { documentConformance } from '../../testing/document-conformance.ts';
import { targetConformance } from '../../testing/target-conformance.ts';
import { documentBed } from './testing/document-bed.ts';
import { onEachServer } from './testing/server.ts';
import { ChangeBed } from './testing/source-bed.ts';
import { targetBed } from './testing/target-bed.ts';

targetConformance('database/mongodb', targetBed);
eventSourceConformance('database/mongodb', () => ChangeBed.make());
onEachServer(['lists in lists'], (server) =>
  documentConformance(`database/mongodb (${server.name})`, () => documentBed(server)),
);
