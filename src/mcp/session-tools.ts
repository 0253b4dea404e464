import { z } from 'zod'
import { SignalboxError } from '../errors/index.js'
import { at, withQuery } from './api.js'
import type { McpOptions } from './mcp-server.js'
import type { ToolCall, ToolRegistry } from './tool-registry.js'

const session = z.string().min(1).max(64).describe('the id of a session, or a unique beginning of it')
/** One call of the API waits at most this long. */
const WAIT_STEP_MS = 10_000

interface WaitedAnswer {
  reached: string
  session: { phase?: string; state: string }
}

export function addSessionTools(tools: ToolRegistry, { api, project }: McpOptions): void {
  tools.add('sessions_list', {
    title: 'List sessions',
    description: 'Agents in terminals, newest first, with what each of them is doing.',
    input: z.object({
      state: z.enum(['starting', 'live', 'ended', 'lost']).optional(),
      limit: z.int().min(1).max(100).default(20),
    }),
    isReading: true,
    run: ({ state, limit }) => api('GET', withQuery('/sessions', { state, limit })),
  })
  tools.add('session_start', {
    title: 'Start a session',
    description: 'Starts an agent in a new terminal, with a first prompt if one is given.',
    input: z.object({
      agent: z.string().min(1).max(60).describe('such as claude, codex, gemini, opencode'),
      project: z.string().min(1).max(4096).optional().describe('an absolute path'),
      prompt: z.string().max(100_000).optional(),
      worktree: z.boolean().default(false).describe('work in a new git worktree'),
    }),
    run: async ({ agent, project: wanted, prompt, worktree }, call) =>
      api('POST', '/sessions', {
        agent,
        cwd: directoryOf(wanted ?? project, call),
        worktree,
        ...(prompt !== undefined && { prompt }),
      }),
  })
  tools.add('session_read', {
    title: 'Read a session',
    description: 'The last messages of the conversation; with screen, the terminal as text.',
    input: z.object({ session, messages: z.int().min(1).max(100).default(5), screen: z.boolean().default(false) }),
    isReading: true,
    run: async ({ session: id, messages, screen }) => ({
      session: await api('GET', `/sessions/${at(id)}`),
      conversation: await api('GET', withQuery(`/sessions/${at(id)}/conversation`, { limit: messages })),
      ...(screen && { screen: await api('GET', `/sessions/${at(id)}/screen`) }),
    }),
  })
  tools.add('session_send', {
    title: 'Send a prompt',
    description: 'Types a prompt into a session; while the agent works it is held until its turn ends.',
    input: z.object({ session, text: z.string().min(1).max(100_000) }),
    run: ({ session: id, text }) => api('POST', `/sessions/${at(id)}/messages`, { text, whenBusy: 'hold' }),
  })
  tools.add('session_wait', {
    title: 'Wait for a session',
    description: 'Waits until the agent is idle, asks for an approval, or ends.',
    input: z.object({
      session,
      for: z.enum(['idle', 'approval', 'done']).default('idle'),
      seconds: z.number().min(0).max(3_600).default(60),
    }),
    isReading: true,
    run: async ({ session: id, for: what, seconds }, { report, signal }) => {
      let left = seconds * 1_000
      for (;;) {
        const timeoutMs = Math.min(left, WAIT_STEP_MS)
        const query = { for: what, timeoutMs: Math.ceil(timeoutMs) }
        const waited = (await api('GET', withQuery(`/sessions/${at(id)}/wait`, query))) as WaitedAnswer
        left -= timeoutMs
        if (waited.reached !== 'timeout' || left <= 0 || signal.aborted) return waited
        await report(`the session is ${waited.session.phase ?? waited.session.state}`)
      }
    },
  })
  tools.add('session_interrupt', {
    title: 'Interrupt a session',
    description: 'Interrupts the agent’s turn; the session continues.',
    input: z.object({ session }),
    isDestructive: true,
    run: ({ session: id }) => api('POST', `/sessions/${at(id)}/interrupt`),
  })
}

/**
 * The directory of a session or run; the person at the client is asked for one that is missing.
 * @throws SignalboxError `E_INPUT` if no directory is named.
 */
export function directoryOf(wanted: string | null, call: ToolCall): string {
  const directory = wanted ?? call.ask('project', 'In which directory? (an absolute path)')
  if (directory !== null) return directory
  throw new SignalboxError('E_INPUT', 'no project was given', { next: 'give the absolute path of a directory' })
}
