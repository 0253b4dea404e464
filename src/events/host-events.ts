import { z } from 'zod'
import { defineEvents } from './catalogue.js'

/** In stream `host`, except where the subject has a stream of its own. */
export const hostEvents = defineEvents({
  'host.started': {
    description: 'A host took over sessions and runs.',
    data: z.object({ pid: z.int().positive(), version: z.string() }),
  },
  'host.stopped': {
    description: 'A host let go of its sessions and runs in good order.',
    data: z.object({ pid: z.int().positive(), reason: z.string() }),
  },
  'store.quarantined': {
    description: 'A damaged store was moved aside, and what could be read went into this one.',
    data: z.object({
      path: z.string(),
      events: z.int().nonnegative(),
      damaged: z.int().nonnegative(),
      brokenStreams: z.int().nonnegative(),
    }),
  },
  'recording.failed': {
    description: "A session's recording cannot be written any more; the session goes on.",
    data: z.object({ session: z.string(), recording: z.string(), code: z.string(), message: z.string() }),
  },
  'sink.failed': {
    description: 'A surface could not show something; the others go on.',
    data: z.object({ sink: z.string(), session: z.string().optional(), code: z.string(), message: z.string() }),
  },
  'pack.drift': {
    description: "An agent's screens no longer look as its pack says.",
    data: z.object({
      agent: z.string(),
      agentVersion: z.string().optional(),
      pack: z.string(),
      anchored: z.int().nonnegative(),
      structural: z.int().nonnegative(),
      unknown: z.int().nonnegative(),
      screenHash: z.string().optional(),
      /** Too many screens, one that stays, or a version that no pack file is for. */
      reason: z.enum(['screens', 'screen', 'version']).optional(),
    }),
  },
  'pack.failed': {
    description: 'A pack file is broken; what was in force before stays in force.',
    data: z.object({ agent: z.string(), file: z.string(), line: z.int().positive().optional(), message: z.string() }),
  },
  'pack.reloaded': {
    description: "A person's own pack files changed and are in force.",
    data: z.object({ agent: z.string() }),
  },
  'pack.rule-off': {
    description: 'A rule of a pack took too long and was switched off.',
    data: z.object({
      agent: z.string(),
      pack: z.string(),
      rule: z.string(),
      ms: z.number().nonnegative(),
      reason: z.string(),
    }),
  },
  'hook.malformed': {
    description: 'A hook call could not be understood, and nothing changed.',
    data: z.object({ source: z.string(), session: z.string().optional(), reason: z.string() }),
  },
  'supervision.switched': {
    description: 'A person switched a source of supervision on or off, for one pane or for all.',
    data: z.object({ switch: z.string(), isOn: z.boolean(), pane: z.string().optional() }),
  },
  'config.changed': {
    description: 'Settings were changed while a host was running.',
    data: z.object({ source: z.string(), keys: z.array(z.string()) }),
  },
})
