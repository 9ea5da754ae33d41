import { channelConformance } from '../testing/channel-conformance.ts';
import { appBed, webhookBed } from './testing/beds.ts';

channelConformance('slack, app', appBed);
channelConformance('slack, webhook', webhookBed);
