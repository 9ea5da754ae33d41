import { channelConformance } from '../testing/channel-conformance.ts';
import { botBed, webhookBed } from './testing/beds.ts';

channelConformance('discord, bot', botBed);
channelConformance('discord, webhook', webhookBed);
