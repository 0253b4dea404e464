import { basename } from 'node:path'
import { findRun, isEnded, listRuns, type RunRecord } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import { formatDuration } from '../../text/index.js'
import type { Asker, Desk } from '../command-services.js'
import type { KeyWish } from '../incoming/button-action.js'
import { escapeHtml } from '../outgoing/split.js'
import type { Command } from './index.js'

const SHOWN_RUNS = 10

/** Runs: which there are, and starting them. */
export const RUN_COMMANDS: Readonly<Record<string, Command>> = {
  runs: {
    summary: 'runs, newest first',
    role: 'viewer',
    isForGroups: true,
    run: async ({ desk, to }) => {
      const runs = (await listRuns(desk.host.store))
        .filter(({ isArchived, parent }) => !isArchived && parent === null)
        .slice(0, SHOWN_RUNS)
      if (runs.length === 0) await desk.say(to, 'No runs yet: /oneshot starts one.')
      else
        await desk.say(
          to,
          runs
            .map((run, index) => {
              const line = `${index + 1}. ${runLine(run, desk.clock.now())}${progress(run)}`
              // For those who have no buttons.
              return `${line}\n<code>/run ${escapeHtml(run.id)}</code>`
            })
            .join('\n\n'),
          { keys: rowsOf(runs.map((run, index) => ({ text: `Open ${index + 1}`, press: showPress(run) }))) },
        )
      return `${runs.length} listed`
    },
  },
  run: {
    summary: 'one run: /run <id>',
    role: 'viewer',
    run: async ({ desk, to, rest }) => {
      if (rest.trim() === '') throw new SignalboxError('E_INPUT', 'Which one?', { next: '/runs lists them.' })
      await showRun(desk, to, rest.trim())
      return 'shown'
    },
  },
  oneshot: starts('oneshot', 'a task to be done until it is right'),
  implement: starts('implement', 'plan, build and review a change'),
  review: starts('review', 'review a branch or a pull request'),
}

const KEYS_A_ROW = 5

function rowsOf(keys: readonly KeyWish[]): KeyWish[][] {
  const rows: KeyWish[][] = []
  for (let at = 0; at < keys.length; at += KEYS_A_ROW) rows.push(keys.slice(at, at + KEYS_A_ROW))
  return rows
}

function showPress({ id }: RunRecord): { do: 'show-run'; run: string } {
  return { do: 'show-run', run: id }
}

/** Where it is, while it goes on. */
function progress(run: RunRecord): string {
  if (isEnded(run.status) || !run.step) return ''
  const gates = Object.keys(run.gates)
  const waits = gates.length > 0 ? `, waits at ${gates.join(', ')}` : ''
  return escapeHtml(`\nat ${run.step}, ${run.steps} steps${waits}`)
}

/** The card of a run: how it stands, what it waits for, and what can be done about it. */
export async function showRun(desk: Desk, to: Asker, prefix: string): Promise<void> {
  const run = await findRun(desk.host.store, prefix)
  const keys: KeyWish[][] = []
  if (!isEnded(run.status))
    keys.push([{ text: 'Cancel', press: { do: 'run', run: run.id, act: 'cancel' }, style: 'danger' }])
  if (run.status === 'paused' || run.status === 'failed')
    keys.push([{ text: 'Resume', press: { do: 'run', run: run.id, act: 'resume' } }])
  const html = [
    `${runLine(run, desk.clock.now())}${progress(run)}`,
    run.usage.costUsd === undefined ? '' : `cost $${run.usage.costUsd.toFixed(2)}`,
    run.reason ? escapeHtml(run.reason.slice(0, 1000)) : '',
    `<code>${escapeHtml(run.id)}</code>`,
  ]
  await desk.say(to, html.filter(Boolean).join('\n'), { about: run.id, keys })
  // What it waits for is decided on its own card, which comes down here.
  const waiting = (await desk.host.ledger.list({ isOpenOnly: true })).filter(
    ({ state, subject }) => state === 'pending' && subject.run === run.id,
  )
  for (const record of waiting) {
    const { items, appends } = await desk.cards.approval(record, to.reader, undefined, { isBelow: true })
    await desk.outbox.say(items, appends)
  }
}

function starts(kind: 'oneshot' | 'implement' | 'review', summary: string): Command {
  return {
    summary,
    role: 'approver',
    run: async ({ starter, to, rest }) => starter.next(await starter.read(kind, rest), 0, to),
  }
}

export function runLine(run: RunRecord, now: number): string {
  const ms = (run.endedAt ?? now) - (run.startedAt ?? run.createdAt)
  return `<b>${escapeHtml(run.title)}</b>\n${escapeHtml(`${basename(run.project)} · ${run.kind} · ${run.status} · ${formatDuration(ms)}`)}`
}
