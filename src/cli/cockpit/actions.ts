import { createDemoDirectory, createSampleProject } from '../../agents/index.js'
import { decisionWords } from '../../approvals/index.js'
import { newId, newNonce } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { Approval, Interrupted, ProjectList, Sent, Session } from '../../server/index.js'
import type { PaneInfo } from '../../supervision/index.js'
import { plainLabel } from '../../text/index.js'
import { endOf } from '../approvals/approval-info.js'
import { allowQuestion } from '../approvals/confirmation.js'
import { agentRefused, callingAgent, localPerson } from '../approvals/local-person.js'
import type { CommandContext } from '../context.js'
import { type DaemonClient, isUnproven } from '../daemon-client.js'
import { stringEntries } from '../sessions/session-info.js'
import { terminalAgents } from '../sessions/terminal-agents.js'
import type { Choice, CockpitCommand, Mode, ViewStep } from './view.js'

/** How long a decision may take to reach the agent before the cockpit says so. */
const APPLY_MS = 10_000
const FINGERPRINT_DIGITS = 6
const DIRECTORIES_SHOWN = 8

type Of<D extends CockpitCommand['do']> = Extract<CockpitCommand, { do: D }>

/** Decides a request, and says what became of it; high risk asks for digits first. */
export async function decide(context: CommandContext, client: DaemonClient, command: Of<'decide'>): Promise<ViewStep> {
  const { request, answer, isConfirmed = false } = command
  const { label: _, ...given } = answer
  const agent = callingAgent(context)
  if (agent !== null) throw agentRefused(agent)
  try {
    const after = await client.post<Approval>(`/approvals/${request.id}/decision?waitMs=${APPLY_MS}`, {
      ...given,
      fingerprint: request.fingerprint,
      seen: { displayHash: request.display.hash, whole: true },
      actor: localPerson(),
      surface: 'cli',
      idempotencyKey: newNonce(),
      confirmed: isConfirmed,
    })
    const words = decisionWords(request, given)
    if (after.state === 'applied') return { notice: words }
    return {
      notice: `${words} · ${after.state === 'decided' ? 'waiting for the agent to continue' : endOf(after as never)}`,
    }
  } catch (error) {
    if (isUnproven(error)) return proveThenDecide(client, command)
    if (!(error instanceof SignalboxError && error.code === 'E_STEP_UP') || isConfirmed) throw error
    const digits = request.fingerprint.slice(0, FINGERPRINT_DIGITS)
    const done = (typed: string): ViewStep =>
      typed.trim().toLowerCase() === digits
        ? { command: { ...command, isConfirmed: true } }
        : { notice: 'Those are other digits: nothing was decided.' }
    return {
      mode: { kind: 'line', label: `${decisionAsked(command)}: high risk, type ${digits} to confirm`, value: '', done },
    }
  }
}

/**
 * The cockpit runs where any process can type, such as in tmux: the person reads a code elsewhere.
 */
async function proveThenDecide(client: DaemonClient, command: Of<'decide'>): Promise<ViewStep> {
  await client.post('/auth/terminal-code')
  const done = (typed: string): ViewStep =>
    typed.trim() === ''
      ? { notice: 'Nothing was decided.' }
      : { command: { do: 'prove', code: typed.trim(), after: command } }
  const label = `${decisionAsked(command)}: type the code at the top of your terminal`
  return { mode: { kind: 'line', label, value: '', done } }
}

/** What the person is about to confirm. */
function decisionAsked({ request, answer }: Of<'decide'>): string {
  const { meaning } = request.request.options.find(({ key }) => key === answer.option) ?? {}
  return meaning === 'allow-once' ? allowQuestion(request) : plainLabel(answer.label)
}

export async function prove(
  context: CommandContext,
  client: DaemonClient,
  { code, after }: Of<'prove'>,
): Promise<ViewStep> {
  await client.post('/auth/step-up', { terminalCode: code })
  return decide(context, client, after)
}

export async function send(client: DaemonClient, { pane, text }: Of<'send' | 'rename'>): Promise<ViewStep> {
  const sent = await client.post<Sent>(`/sessions/${pane.id}/messages`, { id: newId('msg'), text, whenBusy: 'hold' })
  if (sent.result === 'refused' || sent.result === 'unconfirmed')
    return { notice: `Not delivered: ${sent.detail ?? sent.result}` }
  const how = { delivered: 'Sent', queued: 'Queued by the agent', held: 'Held until the agent is idle' }[sent.result]
  return { notice: `${how}: ${pane.place}` }
}

export async function stop(client: DaemonClient, { pane }: { pane: PaneInfo }): Promise<ViewStep> {
  await client.post(`/sessions/${pane.id}/stop`)
  return { notice: `Stopped ${pane.place}; signalbox resume ${pane.place} continues its conversation` }
}

export async function interrupt(client: DaemonClient, { pane }: { pane: PaneInfo }): Promise<ViewStep> {
  const { result, detail } = await client.post<Interrupted>(`/sessions/${pane.id}/interrupt`)
  return { notice: detail ?? `${pane.place}: ${result}` }
}

/** Asks for agent, directory and first prompt, one after the other. */
export async function newSession(context: CommandContext, client: DaemonClient): Promise<Mode> {
  const agents = await terminalAgents(context)
  const { items } = await client.get<ProjectList>('/projects')
  const directories = [...new Set([context.cwd, ...items.map(({ path }) => path)])].slice(0, DIRECTORIES_SHOWN)
  const start = (agent: string, cwd: string, worktree: boolean): ViewStep => ({
    mode: {
      kind: 'line',
      label: `First prompt for ${agent} (may be empty)`,
      value: '',
      done: prompt => ({ command: { do: 'start', agent, cwd, prompt, worktree } }),
    },
  })
  const where = (agent: string): ViewStep => {
    // Its tour edits files: it gets a project of its own.
    if (agent === 'demo' && !context.env.SIGNALBOX_DEMO_SCENARIO) return start(agent, '', false)
    const other: ViewStep = {
      mode: {
        kind: 'line',
        label: 'Directory',
        value: '',
        done: cwd => (cwd.trim() === '' ? {} : start(agent, cwd.trim(), false)),
      },
    }
    const choices: Choice[] = [
      ...directories.map(path => ({ label: path, step: start(agent, path, false) })),
      { label: `a new git worktree of ${context.cwd}`, step: start(agent, context.cwd, true) },
      { label: 'another directory …', step: other },
    ]
    return { mode: { kind: 'choose', question: `Where should ${agent} work?`, choices, at: 0 } }
  }
  const choices = agents.map(({ name, title, isInstalled, install }) =>
    isInstalled
      ? { label: title, step: where(name) }
      : { label: `${title} (not installed)`, step: { mode: installPage(title, install) } },
  )
  return { kind: 'choose', question: 'Which agent?', choices, at: 0 }
}

function installPage(title: string, install: string): Mode {
  const [command = install, page] = install.split(/, or see (?=https:)/)
  const others = page === undefined ? [] : ['', `Other ways: ${page}`]
  return {
    kind: 'page',
    lines: [`${title} is not installed. To install it, run:`, '', `  ${command}`, ...others],
    top: 0,
  }
}

/** Starts a session in the size of this terminal. */
export async function start(
  context: CommandContext,
  client: DaemonClient,
  { agent, cwd, prompt, worktree }: Of<'start'>,
): Promise<{ id: string; number: number }> {
  const { columns: cols, rows } = process.stdout
  return client.post<Session>('/sessions', {
    agent,
    cwd: cwd === '' ? await createSampleProject(createDemoDirectory(), 'shop') : cwd,
    worktree,
    env: stringEntries(context.env),
    size: cols ? { cols, rows } : null,
    ...(prompt.trim() !== '' && { prompt }),
  })
}
