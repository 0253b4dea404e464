import { basename } from 'node:path'
import { systemClock } from '../../clock/index.js'
import type { InMilliseconds, Session } from '../../server/index.js'
import type { PaneInfo } from '../../supervision/index.js'
import {
  displayWidth,
  formatAge,
  type PaneFacts,
  sessionState,
  stateWord,
  truncate,
  visibleText,
} from '../../text/index.js'
import type { CommandContext } from '../context.js'
import type { DaemonClient } from '../daemon-client.js'

/** A session as the daemon describes it. */
export type SessionInfo = InMilliseconds<Session>

/** The word for its state; of one that failed, also how. */
export function sessionWord(session: SessionInfo, pane?: PaneFacts): string {
  const state = sessionState(session, pane)
  const { code = null, signal = null } = session.exit ?? {}
  if (session.state !== 'ended' || session.endReason === 'stopped' || code === 0) return stateWord(state)
  return `${stateWord(state)} (${signal ?? `exit ${code ?? '?'}`})`
}

/** Columns from which lists show the ids of sessions. */
const WIDE = 100

export function sessionLine(
  session: SessionInfo,
  context: CommandContext,
  panes: ReadonlyMap<string, PaneFacts>,
): string {
  const state = sessionWord(session, panes.get(session.id))
  const colour =
    state === 'needs you' || state === 'paused'
      ? 'yellow'
      : state === 'working'
        ? 'blue'
        : state === 'idle'
          ? 'green'
          : 'dim'
  const age = formatAge(systemClock.now() - (session.activeAt ?? session.startedAt))
  const what = [session.label ?? session.title, session.question].filter(Boolean).join(': ')
  // In a narrow terminal the number is enough: every command accepts it.
  const id = context.isOutputTty && context.columns < WIDE ? '' : `${session.id}  `
  const head = `${String(session.number).padStart(3)}  ${id}${session.agent.padEnd(9)} `
  const tail = `${state.padEnd(11)} ${age.padStart(9)}  `
  const where = session.on === undefined ? '' : `${session.on}:`
  // Only a terminal has an edge; a pipe gets everything.
  const left = context.isOutputTty ? context.columns - displayWidth(head + tail) - 1 : Number.POSITIVE_INFINITY
  const project = truncate(`${visibleText(`${where}${basename(session.cwd) || '/'}`)}  `, Math.max(1, left))
  const room = left - displayWidth(project)
  return (
    head +
    context.style(colour, tail.slice(0, state.length)) +
    tail.slice(state.length) +
    context.style('cyan', project) +
    (room > 1 ? truncate(visibleText(what), room) : '')
  ).trimEnd()
}

/** What the panes of sessions show, by the id of the session. */
export async function panesById(client: DaemonClient): Promise<ReadonlyMap<string, PaneInfo>> {
  const { items } = await client.get<{ items: PaneInfo[] }>('/panes')
  return new Map(items.map(pane => [pane.id, pane]))
}

/** What the agent does without asking since a person allowed it in the agent's own menu. */
export function allowanceLines({ allows = [] }: SessionInfo): string[] {
  return allows.map(({ tool, label, since }) => {
    const at = new Date(since)
    const time = `${String(at.getHours()).padStart(2, '0')}:${String(at.getMinutes()).padStart(2, '0')}`
    return `     ${visibleText(tool)} allowed in the agent since ${time} (“${visibleText(label)}”)`
  })
}

/** Prints a session that was just started, and what to do with it. */
export function printStarted(session: SessionInfo, context: CommandContext): void {
  const { id, agent, number, pid, resumedFrom, on } = session
  const where = on === undefined ? '' : ` on ${on}`
  const from = resumedFrom === undefined ? '' : `, resumed from ${resumedFrom}`
  context.out(`${context.style('bold', id)}  ${agent}  number ${number}, pid ${pid}${where}${from}`)
  const attach = session.channel === undefined ? `signalbox attach ${number} · ` : ''
  const next = `${attach}signalbox send ${number} "…" · signalbox read ${number}`
  context.out(context.style('dim', next))
}

/** The environment as the daemon expects it. */
export function stringEntries(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined))
}

export function terminalSize({ isOutputTty }: CommandContext): { cols: number; rows: number } | null {
  const { columns: cols, rows } = process.stdout
  return isOutputTty && cols ? { cols, rows } : null
}
