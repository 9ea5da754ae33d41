import { documentConformance } from '../testing/document-conformance.ts';
import { targetConformance } from '../testing/target-conformance.ts';
import { searchBed } from './testing/bed.ts';
import { documentBed } from './testing/document-bed.ts';
import { onEachServer } from './testing/servers.ts';

targetConformance('search', searchBed);
onEachServer((server) => documentConformance(`search (${server.name})`, () => documentBed(server)));
