import { z } from 'zod'
import { defineEvents } from './catalogue.js'

const size = z.object({ cols: z.int().positive(), rows: z.int().positive() })
const exit = z.object({ code: z.int().nullable(), signal: z.string().nullable() })

/** A part of an answer: prose, code, list, table, diff … The kinds belong to `screen/`, so the log keeps them open. */
const block = z.looseObject({ kind: z.string() })

/** In streams `session/<id>`. */
export const sessionEvents = defineEvents({
  'session.started': {
    description: 'An agent was started in a terminal of its own.',
    data: z.object({
      agent: z.string(),
      agentVersion: z.string().optional(),
      /** The agent's own id of the conversation, needed to resume it. */
      agentSessionId: z.string().optional(),
      project: z.string(),
      cwd: z.string(),
      args: z.array(z.string()),
      pid: z.int().positive(),
      size,
      person: z.string(),
      /** Counts the sessions of this person from 1. */
      number: z.int().positive(),
      recording: z.string(),
      /** Who keeps its terminal: `daemon`, or `foreground:<pid>:<start>`. */
      owner: z.string(),
      resumedFrom: z.string().optional(),
      label: z.string().optional(),
    }),
  },
  'session.ready': {
    description: 'The agent shows its input box, or a menu, for the first time.',
    data: z.object({}),
  },
  'session.resumed': {
    description: "The agent's conversation goes on in another session.",
    data: z.object({ by: z.string(), agentSessionId: z.string().optional() }),
  },
  'session.ended': {
    description: 'The agent has exited.',
    data: z.object({ exit: exit.nullable(), reason: z.string() }),
  },
  'session.lost': {
    description: 'The terminal is gone and nobody saw how the agent ended.',
    data: z.object({ reason: z.string() }),
  },
  'session.phase': {
    description: 'What Signalbox does with the session has changed.',
    data: z.object({ from: z.string(), to: z.string(), event: z.string() }),
  },
  'session.renamed': {
    description: 'A person gave the session another label.',
    data: z.object({ label: z.string().nullable(), person: z.string() }),
  },
  'turn.opened': {
    description: 'The agent began to work on a prompt.',
    data: z.object({ session: z.string(), turn: z.string() }),
  },
  'turn.closed': {
    description: 'The agent is done with a prompt.',
    data: z.object({ session: z.string(), turn: z.string(), outcome: z.string(), blocks: z.array(block).optional() }),
  },
  'message.final': {
    description: 'The answer of a turn as it is kept.',
    data: z.object({
      session: z.string(),
      turn: z.string(),
      message: z.string(),
      markdown: z.string(),
      blocks: z.array(block),
    }),
  },
})
