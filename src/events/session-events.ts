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
      /** Variables that say where its agent keeps its files. */
      places: z.record(z.string(), z.string()).optional(),
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
  'crew.dismissed': {
    description: 'The agent has exited: what it had told of its own work until then.',
    data: z.object({
      model: z.string().nullable(),
      context: z.object({ used: z.int(), window: z.int().nullable() }).nullable(),
      contextLeftPercent: z.number().nullable(),
      spent: z.object({ input: z.int(), output: z.int(), costUsd: z.number().nullable() }),
      helpers: z.array(
        z.object({
          id: z.string(),
          parent: z.string().nullable(),
          name: z.string().nullable(),
          task: z.string().nullable(),
          state: z.enum(['working', 'blocked', 'done', 'failed']),
          doing: z.string().nullable(),
          since: z.number().nullable(),
          endedAt: z.number().nullable(),
          tools: z.int(),
          tokens: z.int(),
        }),
      ),
    }),
  },
  'session.lost': {
    description: 'The terminal is gone and nobody saw how the agent ended.',
    data: z.object({ reason: z.string() }),
  },
  'session.identified': {
    description: 'The agent told its own id of the conversation: what is needed to resume it.',
    data: z.object({
      agentSessionId: z.string(),
      /** Who told: a hook, the transcript, the screen the agent left behind. */
      source: z.string(),
      agentVersion: z.string().optional(),
    }),
  },
  'session.noticed': {
    description: 'Something about the session that its people should know.',
    data: z.object({
      session: z.string(),
      kind: z.string(),
      text: z.string(),
      /** The last rows of its screen, where they say more. */
      rows: z.array(z.string()).optional(),
      link: z.string().optional(),
    }),
  },
  'session.phase': {
    description: 'What Signalbox does with the session has changed.',
    data: z.object({ from: z.string(), to: z.string(), event: z.string() }),
  },
  'session.renamed': {
    description: 'A person gave the session another label.',
    data: z.object({ label: z.string().nullable(), person: z.string() }),
  },
  'session.forgotten': {
    description: 'It ended long ago: its recording was removed, and it is listed no more.',
    data: z.object({ keptDays: z.number().positive() }),
  },
  'session.chosen': {
    description: 'A person made it the one that their words go to on a surface.',
    data: z.object({ person: z.string(), surface: z.string() }),
  },
  'prompt.accepted': {
    description: 'A prompt was taken, to be brought to the agent; no key of it has been typed.',
    data: z.object({
      session: z.string(),
      prompt: z.string(),
      text: z.string(),
      meaning: z.string(),
      /** What is to become of it while the agent works. */
      whenBusy: z.string(),
    }),
  },
  'prompt.begun': {
    description: 'The first key of a prompt is about to be typed; from here on it is never typed again.',
    data: z.object({ session: z.string(), prompt: z.string() }),
  },
  'prompt.held': {
    description: 'A prompt waits here until the agent rests.',
    data: z.object({ session: z.string(), prompt: z.string(), text: z.string(), meaning: z.string() }),
  },
  'prompt.released': {
    description: 'What became of a prompt: delivered, queued by the agent, not delivered, or taken back.',
    data: z.object({
      session: z.string(),
      prompt: z.string(),
      result: z.string(),
      /** The turn that it opened. */
      turn: z.string().optional(),
    }),
  },
  'session.allows': {
    description: 'Somebody chose the agent’s own “do not ask again”: it uses this tool without asking.',
    data: z.object({ session: z.string(), tool: z.string(), label: z.string(), approval: z.string() }),
  },
  'session.asks': {
    description: 'The agent asks again about what it was told not to ask about.',
    data: z.object({ session: z.string(), label: z.string() }),
  },
  'turn.opened': {
    description: 'The agent began to work on a prompt.',
    data: z.object({
      session: z.string(),
      turn: z.string(),
      /** As the agent echoed it; absent where its screen does not say, or not yet. */
      prompt: z.string().optional(),
    }),
  },
  'turn.prompted': {
    description: 'The agent shows the prompt that it has begun to work on.',
    data: z.object({ session: z.string(), turn: z.string(), prompt: z.string() }),
  },
  'turn.closed': {
    description: 'The agent is done with a prompt.',
    data: z.object({ session: z.string(), turn: z.string(), outcome: z.string(), blocks: z.array(block).optional() }),
  },
  'message.final': {
    description: 'The answer of a turn as it is kept; the last one of a message counts.',
    data: z.object({
      session: z.string(),
      turn: z.string(),
      message: z.string(),
      markdown: z.string(),
      blocks: z.array(block),
      /** A later one of the same message takes its place: the agent's own record came after the end. */
      revision: z.int().positive().optional(),
    }),
  },
})
