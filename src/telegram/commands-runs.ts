import { basename } from 'node:path'
import { findRun, isEnded, listRuns, type RunRecord } from '../engine/index.js'
import { SignalboxError } from '../errors/index.js'
import { formatDuration } from '../text/index.js'
import type { Command } from './commands.js'
import type { KeyWish } from './press.js'
import { escapeHtml } from './split.js'

const SHOWN_RUNS = 10

/** Runs: which there are, and starting them. */
export const RUN_COMMANDS: Readonly<Record<string, Command>> = {
  runs: {
    summary: 'runs, newest first',
    role: 'viewer',
    isForGroups: true,
    run: async ({ desk, to }) => {
      const runs = (await listRuns(desk.host.store)).filter(({ isArchived }) => !isArchived).slice(0, SHOWN_RUNS)
      if (runs.length === 0) await desk.say(to, 'No runs yet: /oneshot starts one.')
      else
        await desk.say(
          to,
          runs.map(run => `${runLine(run, desk.clock.now())}\n<code>/run ${escapeHtml(run.id)}</code>`).join('\n\n'),
        )
      return `${runs.length} listed`
    },
  },
  run: {
    summary: 'one run: /run <id>',
    role: 'viewer',
    run: async ({ desk, to, rest }) => {
      if (rest.trim() === '') throw new SignalboxError('E_INPUT', 'Which one?', { next: '/runs lists them.' })
      const run = await findRun(desk.host.store, rest.trim())
      const keys: KeyWish[][] = []
      if (!isEnded(run.status))
        keys.push([{ text: 'Cancel', press: { do: 'run', run: run.id, act: 'cancel' }, style: 'danger' }])
      if (run.status === 'paused' || run.status === 'failed')
        keys.push([{ text: 'Resume', press: { do: 'run', run: run.id, act: 'resume' } }])
      const gates = Object.keys(run.gates)
      const html = [
        runLine(run, desk.clock.now()),
        run.step ? `at <code>${escapeHtml(run.step)}</code>, ${run.steps} steps` : '',
        run.usage.costUsd === undefined ? '' : `cost $${run.usage.costUsd.toFixed(2)}`,
        run.reason ? escapeHtml(run.reason) : '',
        gates.length > 0 ? `waits at: ${escapeHtml(gates.join(', '))} (/approvals)` : '',
      ]
      await desk.say(to, html.filter(Boolean).join('\n'), { about: run.id, keys })
      return 'shown'
    },
  },
  oneshot: starts('oneshot', 'a task to be done until it is right'),
  implement: starts('implement', 'plan, build and review a change'),
  review: starts('review', 'review a branch or a pull request'),
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
