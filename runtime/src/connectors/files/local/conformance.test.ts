import { eventSourceConformance } from '../../intake/testing/conformance.ts';
import { targetConformance } from '../../testing/target-conformance.ts';
import { filesConformance } from '../testing/files-conformance.ts';
import { localBed, localTargetBed } from '../testing/local-bed.ts';
import { localFolder, watchBedOf } from '../testing/watch-bed.ts';

targetConformance('file', localTargetBed);
filesConformance('file', localBed);
eventSourceConformance('file, an inbox', () => watchBedOf(localFolder(), 'inbox'));
eventSourceConformance('file, changes', () => watchBedOf(localFolder(), 'changes'));
