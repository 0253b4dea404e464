import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ApprovalRecord } from '../../approvals/index.js'
import { systemClock } from '../../clock/index.js'
import { type Answer, findRun } from '../../engine/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { RunGates } from '../../runs/index.js'
import type { EventStore } from '../../store/index.js'
import { visibleText } from '../../text/index.js'
import { askLine } from '../ask.js'
import type { CommandContext } from '../context.js'
import { withStore } from '../runs/with-store.js'
import { localPerson } from './decide-request.js'
import { plainOption } from './pick-option.js'

export interface GateDecision {
  id: string
  wants: 'allow' | 'deny'
  option: string | null
  note: string | null
  /** A file with the plan as it should be. */
  edit: string | null
  fingerprint: string | null
  isJson: boolean
}

/**
 * Approves or declines a gate of a run, by the gate's id or by the id of a run that has exactly one. It is decided in the store itself, so that
 * no daemon is needed; null for everything that is no gate.
 */
export async function decideGate(context: CommandContext, decision: GateDecision): Promise<number | null> {
  if (context.env.SIGNALBOX_SESSION) return null
  return withStore(context, async store => {
    const gates = new RunGates(store, systemClock)
    const record = await find(store, gates, decision.id)
    if (!record) return null
    if (context.env.SIGNALBOX_STEP)
      throw new SignalboxError('E_ROLE', 'an agent cannot decide for itself: this shell belongs to a run', {
        next: 'decide from a terminal of your own',
      })
    const chosen = decision.option ?? plainOption(record as never, decision.wants).key
    const option = record.request.options.find(({ key, label }) => key === chosen || label === chosen)
    if (!option)
      throw new SignalboxError('E_APPROVAL_OPTION', `the gate has no option "${chosen}"`, {
        next: `it offers: ${record.request.options.map(({ label }) => label).join(' · ')}`,
      })
    const answer = answerOf(context, record, option.key, decision)
    if (decision.wants === 'allow' && decision.fingerprint === null) await showAndAsk(context, record, option.label)
    await gates.answer(record, answer, localPerson(), {
      ...(decision.note !== null && { note: decision.note }),
      ...(decision.fingerprint !== null && { fingerprint: decision.fingerprint }),
    })
    if (decision.isJson) context.json(await gates.get(record.id))
    else {
      const meaning =
        record.kind === 'plan' && option.key === 'reject'
          ? 'the Architect writes another plan'
          : visibleText(option.label)
      context.out(`${record.id}: ${meaning}`)
      context.note(`where nobody drives the run: signalbox resume ${record.subject.run}`)
    }
    return EXIT.ok
  })
}

async function find(store: EventStore, gates: RunGates, word: string): Promise<ApprovalRecord | null> {
  if (/^run_/.test(word)) {
    const run = await findRun(store, word)
    const open = Object.values(run.gates)
    if (open.length === 1) return gates.get(open[0]!)
    throw new SignalboxError(
      'E_INPUT',
      `run ${run.id} waits at ${open.length === 0 ? 'no gate' : `several gates: ${open.join(', ')}`}`,
      {
        next: open.length === 0 ? `signalbox show ${run.id}` : 'name one of them',
      },
    )
  }
  return gates.find(word).catch(error => {
    // What this store does not know, or knows as something else, is for the daemon to judge.
    if (error instanceof SignalboxError && ['E_UNKNOWN', 'E_INPUT'].includes(error.code)) return null
    throw error
  })
}

function answerOf(
  context: CommandContext,
  record: ApprovalRecord,
  option: string,
  { edit, note, wants }: GateDecision,
): Answer {
  if (record.kind === 'plan' && wants === 'deny' && option === 'reject' && (note ?? '').trim() === '')
    throw new SignalboxError('E_INPUT', 'declining a plan asks for another one: say what should be different', {
      next: `signalbox deny ${record.id} --note "…"`,
    })
  if (edit === null) return { option }
  if (record.kind !== 'plan') throw new SignalboxError('E_INPUT', 'only a plan can be approved with edits here')
  const plan = readText(resolve(context.cwd, edit))
  return { option, editedInput: { ...(record.request.input as object), plan_markdown: plan } }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new SignalboxError('E_INPUT', `the edited plan cannot be read: ${(error as Error).message}`)
  }
}

/** What is approved was shown: at a terminal here and now, else by its fingerprint. */
async function showAndAsk(context: CommandContext, record: ApprovalRecord, label: string): Promise<void> {
  if (!context.isInteractive)
    throw new SignalboxError(
      'E_NEEDS_HUMAN',
      'without a terminal an approval needs the fingerprint of what was shown',
      {
        next: `--fingerprint ${record.fingerprint.slice(0, 16)} for this gate`,
      },
    )
  context.out(context.style('bold', visibleText(record.display.title)))
  for (const line of (record.request.text ?? '').split('\n')) context.out(`  ${visibleText(line)}`)
  const said = await askLine(`${visibleText(label)}? [y/N] `)
  if (!/^y(es)?$/i.test(said.trim())) throw new SignalboxError('E_ROLE', 'nothing was decided')
}
