import { z } from 'zod'
import { defineEvents } from './catalogue.js'

export const hostEvents = defineEvents({
  'host.started': {
    description: 'A host started and took over sessions and runs.',
    data: z.object({ pid: z.int().positive(), version: z.string() }),
  },
  'host.stopped': {
    description: 'A host released its sessions and runs and stopped.',
    data: z.object({ pid: z.int().positive(), reason: z.string() }),
  },
  'recording.saved': {
    description: 'A part of the recording of a session on a worker is kept as a blob.',
    data: z.object({ session: z.string(), from: z.int().nonnegative(), bytes: z.int().positive(), blob: z.string() }),
  },
  'recording.failed': {
    description: 'A session’s recording can no longer be written; the session continues.',
    data: z.object({ session: z.string(), recording: z.string(), code: z.string(), message: z.string() }),
  },
  'pack.drift': {
    description: 'An agent’s screens no longer match its pack.',
    data: z.object({
      agent: z.string(),
      agentVersion: z.string().optional(),
      pack: z.string(),
      anchored: z.int().nonnegative(),
      structural: z.int().nonnegative(),
      unknown: z.int().nonnegative(),
      screenHash: z.string().optional(),
      /** Many unknown screens, one that stays, or a version without a pack file. */
      reason: z.enum(['screens', 'screen', 'version']).optional(),
    }),
  },
  'pack.failed': {
    description: 'A pack file is invalid; the previous version stays in use.',
    data: z.object({ agent: z.string(), file: z.string(), line: z.int().positive().optional(), message: z.string() }),
  },
  'pack.reloaded': {
    description: 'A person’s own pack files changed and were reloaded.',
    data: z.object({ agent: z.string() }),
  },
  'reader.lost': {
    description: 'The reader of a terminal crashed or hung; its sessions are read again.',
    data: z.object({
      session: z.string(),
      why: z.string(),
      /** Reading this session was the reason; otherwise it only shared the thread. */
      isCause: z.boolean(),
      /** False: it was the reason twice, and its terminal is no longer read. */
      isReadAgain: z.boolean(),
    }),
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
    description: 'A hook call could not be parsed; nothing changed.',
    data: z.object({ source: z.string(), session: z.string().optional(), reason: z.string() }),
  },
  'pane.noticed': {
    description: 'A tmux pane needs a person, or no longer does; the bot shows it in its chats.',
    data: z.object({
      pane: z.string(),
      /** The question: every event about it has the same name. */
      question: z.string(),
      kind: z.enum(['needs-you', 'over']),
      title: z.string(),
      place: z.string(),
      text: z.string(),
      isReminder: z.boolean().optional(),
    }),
  },
  'supervision.switched': {
    description: 'A person switched a source of supervision on or off, for one pane or for all.',
    data: z.object({ switch: z.string(), isOn: z.boolean(), pane: z.string().optional() }),
  },
  'config.changed': {
    description: 'Settings changed while a host was running.',
    data: z.object({ source: z.string(), keys: z.array(z.string()) }),
  },
})
