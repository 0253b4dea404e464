import { basename } from 'node:path'
import { findRun, isEnded, listRuns } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import { type DescribedRun, describeRun } from '../../runs/index.js'
import { costText, formatDuration, runWord } from '../../text/index.js'
import type { CommandServices, Requester } from '../command-services.js'
import type { ButtonSpec } from '../incoming/button-action.js'
import { escapeHtml } from '../outgoing/split.js'
import type { BotCommand } from './index.js'

const SHOWN_RUNS = 10

/** Commands that list, show and start runs. */
export const RUN_COMMANDS: Readonly<Record<string, BotCommand>> = {
  runs: {
    summary: 'list runs, newest first',
    role: 'viewer',
    isForGroups: true,
    run: async ({ services, to }) => {
      const newest = (await listRuns(services.host.store))
        .filter(({ isArchived, parent }) => !isArchived && parent === null)
        .slice(0, SHOWN_RUNS)
      const runs = await Promise.all(newest.map(run => describeRun(services.host, run)))
      if (runs.length === 0) await services.reply(to, 'No runs yet: /oneshot starts one.')
      else
        await services.reply(
          to,
          runs
            .map((run, index) => {
              const line = `${index + 1}. ${runLine(run, services.clock.now())}${progress(run)}${whyText(run)}`
              // Viewers get no buttons.
              return `${line}\n<code>/run ${escapeHtml(run.id)}</code>`
            })
            .join('\n\n'),
          { buttons: rowsOf(runs.map((run, index) => ({ text: `Open ${index + 1}`, action: showAction(run) }))) },
        )
      return `${runs.length} listed`
    },
  },
  run: {
    summary: 'show a run: /run <id>',
    role: 'viewer',
    run: async ({ services, to, rest }) => {
      if (rest.trim() === '') throw new SignalboxError('E_INPUT', 'Name a run.', { next: '/runs lists them.' })
      await showRunCard(services, to, rest.trim())
      return 'shown'
    },
  },
  oneshot: starts('oneshot', 'start a oneshot: repeat a task until it is done right'),
  implement: starts('implement', 'start an implementation: plan, build, review'),
  review: starts('review', 'start a review of a branch or pull request'),
}

const BUTTONS_PER_ROW = 5

function rowsOf(buttons: readonly ButtonSpec[]): ButtonSpec[][] {
  const rows: ButtonSpec[][] = []
  for (let at = 0; at < buttons.length; at += BUTTONS_PER_ROW) rows.push(buttons.slice(at, at + BUTTONS_PER_ROW))
  return rows
}

function showAction({ id }: DescribedRun): { do: 'show-run'; run: string } {
  return { do: 'show-run', run: id }
}

/** The step of a run that has not ended. */
function progress(run: DescribedRun): string {
  if (isEnded(run.status) || !run.step) return ''
  const gates = Object.keys(run.gates)
  const waits = gates.length > 0 ? `, waiting at ${gates.join(', ')}` : ''
  return escapeHtml(`\nat ${run.step}, ${run.steps} steps${waits}`)
}

/** Shows a run, with buttons to cancel or resume it, and the requests that it waits for. */
export async function showRunCard(services: CommandServices, to: Requester, prefix: string): Promise<void> {
  const run = await describeRun(services.host, await findRun(services.host.store, prefix))
  const buttons: ButtonSpec[][] = []
  if (!isEnded(run.status))
    buttons.push([{ text: 'Cancel', action: { do: 'run', run: run.id, act: 'cancel' }, style: 'danger' }])
  if (run.status === 'running' && !run.isUndriven)
    buttons.push([{ text: 'Pause', action: { do: 'run', run: run.id, act: 'pause' } }])
  if (run.status === 'paused' || run.status === 'failed' || run.isUndriven)
    buttons.push([{ text: 'Resume', action: { do: 'run', run: run.id, act: 'resume' } }])
  const html = [
    `${runLine(run, services.clock.now())}${progress(run)}`,
    run.usage.costUsd === undefined ? '' : `cost ${costText(run.usage)}`,
    whyText(run).trimStart(),
    `<code>${escapeHtml(run.id)}</code>`,
  ]
  await services.reply(to, html.filter(Boolean).join('\n'), { about: run.id, buttons })
  // The cards of the requests that it waits for are sent again below.
  const waiting = (await services.host.ledger.list({ isOpenOnly: true })).filter(
    ({ state, subject }) => state === 'pending' && subject.run === run.id,
  )
  for (const record of waiting) {
    const { items, appends } = await services.cards.approval(record, to.recipient, undefined, { isBelow: true })
    await services.outbox.enqueue(items, appends)
  }
}

function starts(kind: 'oneshot' | 'implement' | 'review', summary: string): BotCommand {
  return {
    summary,
    role: 'approver',
    run: async ({ wizard, to, rest }) => wizard.next(await wizard.read(kind, rest), 0, to),
  }
}

/** Why the run is in its status, and the command that continues it. */
function whyText({ why, next }: DescribedRun): string {
  if (why === null) return ''
  const command = next !== null ? `\n<code>${escapeHtml(next)}</code>` : ''
  return `\n${escapeHtml(why.slice(0, 1000))}${command}`
}

function runLine(run: DescribedRun, now: number): string {
  const ms = (run.endedAt ?? now) - (run.startedAt ?? run.createdAt)
  return `<b>${escapeHtml(run.title)}</b>\n${escapeHtml(`${basename(run.project)} · ${run.kind} · ${runWord(run)} · ${formatDuration(ms)}`)}`
}
