import { channelConformance } from '../../testing/channel-conformance.ts';
import { outboundBed } from '../testing/beds.ts';

channelConformance('webhook, outbound', outboundBed);
