import { z } from 'zod'
import { defineEvents } from './catalogue.js'

const size = z.object({ cols: z.int().positive(), rows: z.int().positive() })
const exit = z.object({ code: z.int().nullable(), signal: z.string().nullable() })

/** A part of an answer: prose, code, list, table, diff. `screen/` defines the kinds. */
const block = z.looseObject({ kind: z.string() })

/** The sandbox that a session runs in. */
export const sessionSandbox = z.object({
  backend: z.string(),
  network: z.enum(['off', 'filtered', 'on']),
  hosts: z.array(z.string()),
  paths: z
    .array(
      z.object({
        path: z.string(),
        access: z.enum(['read', 'write', 'private']),
        why: z.string(),
        isCopy: z.literal(true).optional().describe('a copy: changes end with the session'),
        isProtected: z.literal(true).optional().describe('no person is asked to open it'),
      }),
    )
    .optional()
    .describe('what is visible in it, in the order in which it was mounted'),
})

export const sessionEvents = defineEvents({
  'session.started': {
    description: 'An agent was started, in its own terminal or over the Agent Client Protocol.',
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
      /** Counts the sessions of this person, from 1. */
      number: z.int().positive(),
      recording: z.string(),
      /** The owner of its terminal: `daemon`, or `foreground:<pid>:<start>`. */
      owner: z.string(),
      /**
       * The worker that runs the session; on a shared store, the home directory of the server that
       * runs it. Absent: the only server.
       */
      worker: z.string().optional(),
      resumedFrom: z.string().optional(),
      /** How Signalbox and the agent talk; absent: through the agent's terminal. */
      channel: z.enum(['acp']).optional(),
      /** Environment variables that say where the agent stores its files. */
      agentVariables: z.record(z.string(), z.string()).optional(),
      label: z.string().optional(),
      sandbox: sessionSandbox.optional(),
    }),
  },
  'session.numbered': {
    description:
      'A number was given to a session. One stream per person, so that two sessions that start at once get different numbers.',
    data: z.object({ session: z.string(), number: z.int().positive() }),
  },
  'session.ready': {
    description: 'The agent shows its input box or a menu for the first time.',
    data: z.object({}),
  },
  'session.resumed': {
    description: 'The agent’s conversation continues in another session.',
    data: z.object({ by: z.string(), agentSessionId: z.string().optional() }),
  },
  'session.ended': {
    description: 'The agent exited.',
    data: z.object({ exit: exit.nullable(), reason: z.string() }),
  },
  'session.stats-final': {
    description: 'The agent exited; this is what it had reported about its work and its sub-agents.',
    data: z.object({
      model: z.string().nullable(),
      context: z.object({ used: z.int(), window: z.int().nullable() }).nullable(),
      contextLeftPercent: z.number().nullable(),
      spent: z.object({ input: z.int(), output: z.int(), costUsd: z.number().nullable() }),
      /** What was spent, by day (UTC). */
      days: z
        .record(z.string(), z.object({ input: z.int(), output: z.int(), costUsd: z.number().nullable() }))
        .optional(),
      subAgents: z.array(
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
  'session.spent': {
    description: 'What the agent has used so far; at most once a minute while it works.',
    data: z.object({
      model: z.string().nullable(),
      /** By day (UTC). */
      days: z.record(z.string(), z.object({ input: z.int(), output: z.int(), costUsd: z.number().nullable() })),
    }),
  },
  'session.budget-set': {
    description: 'A person set what the session may use before it is paused.',
    data: z.object({ usd: z.number().nullable(), tokens: z.int().nullable(), person: z.string() }),
  },
  'session.paused': {
    description: 'A budget is used up: prompts are held, and the agent was interrupted if it worked.',
    data: z.object({
      limit: z.enum(['session-usd', 'session-tokens', 'day-usd']),
      of: z.number(),
      used: z.number(),
      /** A part of what was used has no known price. */
      isPartial: z.boolean().optional(),
    }),
  },
  'session.unpaused': {
    description: 'The budget is no longer used up: prompts are sent again.',
    data: z.object({}),
  },
  'session.lost': {
    description: 'The terminal is gone, and it is unknown how the agent ended.',
    data: z.object({ reason: z.string() }),
  },
  'session.identified': {
    description: 'The agent’s own id of the conversation became known. It is needed to resume the conversation.',
    data: z.object({
      agentSessionId: z.string(),
      /** A hook, the transcript, or the agent's last screen. */
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
      /** The last rows of its screen, if they help. */
      rows: z.array(z.string()).optional(),
      link: z.string().optional(),
    }),
  },
  'session.phase': {
    description: 'The phase of the session changed.',
    data: z.object({ from: z.string(), to: z.string(), event: z.string() }),
  },
  'session.renamed': {
    description: 'A person changed the label of the session.',
    data: z.object({ label: z.string().nullable(), person: z.string() }),
  },
  'session.forgotten': {
    description: 'The session ended long ago; its recording was removed and it is no longer listed.',
    data: z.object({ keptDays: z.number().positive() }),
  },
  'session.chosen': {
    description: 'A person chose the session as the one that their messages on a surface go to.',
    data: z.object({ person: z.string(), surface: z.string() }),
  },
  'prompt.accepted': {
    description: 'A prompt was accepted for delivery to the agent. No key has been typed.',
    data: z.object({
      session: z.string(),
      prompt: z.string(),
      text: z.string(),
      meaning: z.string(),
      /** What to do with it while the agent works. */
      whenBusy: z.string(),
    }),
  },
  'prompt.started': {
    description: 'The first key of a prompt is about to be typed. From here on it is never typed again.',
    data: z.object({ session: z.string(), prompt: z.string() }),
  },
  'prompt.held': {
    description: 'A prompt waits until the agent is idle.',
    data: z.object({ session: z.string(), prompt: z.string(), text: z.string(), meaning: z.string() }),
  },
  'prompt.ended': {
    description: 'The result of a prompt: delivered, queued by the agent, not delivered, or taken back.',
    data: z.object({
      session: z.string(),
      prompt: z.string(),
      result: z.string(),
      turn: z.string().optional(),
    }),
  },
  'session.allowance-made': {
    description: 'A person chose the agent’s own “do not ask again”: the agent uses this tool without asking.',
    data: z.object({ session: z.string(), tool: z.string(), label: z.string(), approval: z.string() }),
  },
  'session.allowance-ended': {
    description: 'The agent asks again, although a person had chosen “do not ask again”.',
    data: z.object({ session: z.string(), label: z.string() }),
  },
  'turn.opened': {
    description: 'The agent started to work on a prompt.',
    data: z.object({
      session: z.string(),
      turn: z.string(),
      /** As the agent echoed it; absent if the screen does not show it. */
      prompt: z.string().optional(),
    }),
  },
  'turn.prompted': {
    description: 'The agent shows the prompt that it works on.',
    data: z.object({ session: z.string(), turn: z.string(), prompt: z.string() }),
  },
  'turn.closed': {
    description: 'The agent finished working on a prompt.',
    data: z.object({ session: z.string(), turn: z.string(), outcome: z.string(), blocks: z.array(block).optional() }),
  },
  'message.final': {
    description: 'A message of a turn is complete. Of several events for one message, the last one counts.',
    data: z.object({
      session: z.string(),
      turn: z.string(),
      message: z.string(),
      markdown: z.string(),
      blocks: z.array(block),
      /** The next message continues this one: a long answer is written in parts. */
      continues: z.literal(true).optional(),
      /** The agent's own command (`/context`) that printed it, if that opened no turn. */
      command: z.string().optional(),
      /** Counts later versions of the message: the agent's own record arrived after the end. */
      revision: z.int().positive().optional(),
    }),
  },
})
