import { approvalStream } from '../approvals/requests/index.js'
import { newId } from '../clock/index.js'
import { type EventData, newEvent } from '../events/index.js'
import type { Lease, NewEvent } from '../store/index.js'
import { BUDGET_GATE, budgetRequest } from './budget-gate.js'
import { LOST_WORKER_GATE, type LostWorker, lostWorkerRequest } from './lost-worker-gate.js'
import { type RunJournal, runStream } from './run-journal.js'
import type { RunState } from './run-state.js'
import { isEnded } from './run-status-table.js'
import { checkLimits, type Usage } from './usage.js'
import type { GateLedger, Workflow, WorkflowCommand } from './workflow.js'

/** This many `emit` commands in a row without an effect are a defect in the workflow. */
const EMITS_MAX = 10_000

export interface ProposalContext<Work> {
  journal: RunJournal<Work>
  workflow: Workflow<Work>
  lease: Lease
  at: number
  /** Usage so far, including running steps. */
  usage: Usage
  random(): number
  gates?: GateLedger
}

/**
 * Proposes all events that follow from the state of a run, and returns the work that should be in
 * progress once they are written: steps are announced before they start; gates and child runs are
 * created in the same transaction as their events.
 */
export function proposeNext<Work>(context: ProposalContext<Work>): readonly WorkflowCommand[] {
  const { journal, workflow } = context
  const isOver = () => isEnded(journal.run.status) || journal.run.status === 'paused'
  if (isOver()) return []
  if (journal.run.status === 'queued') propose(context, started(context.lease))
  checkBudget(context)
  for (let emits = 0; !isOver(); emits++) {
    const { run } = journal
    const facts = { id: run.id, status: run.status, isOpen: (step: string) => run.steps.has(step) }
    const commands = workflow.decide(run.work, facts)
    const now = commands.find(command => command.do === 'emit' || command.do === 'end')
    if (!now) {
      announce(context, commands)
      return commands
    }
    if (emits >= EMITS_MAX)
      endRun(context, {
        do: 'end',
        status: 'failed',
        reason: 'engine_loop',
        text: 'the workflow keeps emitting events without any effect',
      })
    else if (now.do === 'emit') propose(context, ...now.events)
    else if (now.do === 'end') endRun(context, now)
  }
  return []
}

/**
 * The worker of the run is gone with files that were not saved: asks a person, once for each loss,
 * and lets the run wait for the answer, or for the worker.
 */
export function proposeLostWorker<Work>(
  context: Pick<ProposalContext<Work>, 'journal' | 'at' | 'gates'>,
  lost: LostWorker,
): void {
  const { run } = context.journal
  const mustAsk = run.onLoss === null && !run.gates.has(LOST_WORKER_GATE)
  if (mustAsk)
    openGate(context, { do: 'gate', gate: LOST_WORKER_GATE, request: lostWorkerRequest(run as RunState, lost) })
  if (!mustAsk && run.status !== 'running') return
  const reason = run.onLoss === null ? {} : { reason: `waits for its worker ${lost.name}, which is gone` }
  // Due all the time: its worker may be back.
  propose(context, newEvent('run.waiting', { gates: [...run.gates.keys()], wakeAt: context.at, ...reason }))
}

/** Records answers of gates that were left out. Their requests are withdrawn and asked again. */
export function proposeRefusals<Work>({ journal, at }: Pick<ProposalContext<Work>, 'journal' | 'at'>): void {
  const reason = 'nothing proves who gave this answer'
  for (const refusal of journal.takeRefusals()) {
    journal.propose([newEvent('gate.refused', { ...refusal, reason })], at)
    journal.proposeAlongside({
      stream: approvalStream(refusal.approval),
      expected: 'any',
      events: [newEvent('approval.cancelled', { reason }, at)],
    })
    // Readers that saw the answer took the run for resumed.
    if (journal.run.status === 'paused') journal.propose([newEvent('run.paused', { reason })], at)
  }
}

/** Proposes the events that arrived, without superseded ones (an answered gate). */
export function proposeArrivals<Work>(
  context: Pick<ProposalContext<Work>, 'journal' | 'at'>,
  arrived: readonly NewEvent[],
): void {
  const { journal, at } = context
  for (const event of arrived) {
    const { gate, approval, timer, step } = event.data as Record<string, string> & { gate: string; approval: string }
    if (event.type === 'timer.fired' && !journal.run.timers.has(timer!)) continue
    // Its worker was declared lost, or the run was paused, before the end arrived.
    if ((event.type === 'step.ended' || event.type === 'step.lost') && !journal.run.steps.has(step!)) continue
    if (event.type === 'gate.expired') {
      if (journal.run.gates.get(gate)?.approval !== approval) continue
      const expired = { reason: 'not answered in time', onExpiry: 'default-edge' as const }
      journal.proposeAlongside({
        stream: approvalStream(approval),
        expected: 'any',
        events: [newEvent('approval.expired', expired, at)],
      })
    }
    journal.propose([event], at)
  }
}

function announce<Work>(context: ProposalContext<Work>, commands: readonly WorkflowCommand[]): void {
  const { run } = context.journal
  const wanted = { timers: new Set<string>(), gates: new Set<string>() }
  for (const command of commands) {
    if (command.do === 'step' && !run.steps.has(command.step)) {
      const { step, effect, input, branch } = command
      propose(
        context,
        newEvent('step.started', { step, effect, input, ...(branch !== undefined && { branch }), ...run.placed }),
      )
    } else if (command.do === 'timer') {
      wanted.timers.add(command.timer)
      if (!run.timers.has(command.timer)) setTimer(context, command)
    } else if (command.do === 'gate') {
      wanted.gates.add(command.gate)
      if (!run.gates.has(command.gate)) openGate(context, command)
    } else if (command.do === 'child' && !run.children.has(command.child)) startChild(context, command)
  }
  for (const timer of run.timers.keys())
    if (!wanted.timers.has(timer)) propose(context, newEvent('timer.cancelled', { timer }))
  for (const [gate, { approval }] of run.gates)
    if (!wanted.gates.has(gate)) closeGate(context, gate, approval, 'no longer needed')
  announceWaiting(context, commands)
}

/** A run without work in progress is `waiting`; it is `running` again as soon as there is some. */
function announceWaiting<Work>(context: ProposalContext<Work>, commands: readonly WorkflowCommand[]): void {
  const { run } = context.journal
  const isWorking = commands.some(command => command.do === 'step' || command.do === 'recover')
  if (isWorking && run.status === 'waiting') propose(context, started(context.lease))
  if (isWorking || run.status !== 'running' || run.steps.size > 0) return
  const dues = [...run.timers.values(), ...[...run.gates.values()].flatMap(({ due }) => due ?? [])]
  propose(
    context,
    newEvent('run.waiting', {
      gates: [...run.gates.keys()],
      wakeAt: dues.length > 0 ? Math.min(...dues) : null,
      ...(run.children.size > 0 && { children: [...run.children.values()] }),
    }),
  )
}

function setTimer<Work>(context: ProposalContext<Work>, { timer, ms, jitter }: CommandOf<'timer'>): void {
  const random = jitter ? jitter[0] + context.random() * (jitter[1] - jitter[0]) : null
  const due = context.at + Math.round(ms * (random ?? 1))
  propose(context, newEvent('timer.set', { timer, due, ...(random !== null && { random }) }))
}

function openGate<Work>(
  context: Pick<ProposalContext<Work>, 'journal' | 'at' | 'gates'>,
  command: CommandOf<'gate'>,
): void {
  const { gate, timeoutMs, fallback, automatic } = command
  const approval = newId('apr')
  const due = timeoutMs === undefined ? undefined : context.at + timeoutMs
  const whatElse = {
    ...(due !== undefined && { due, ...(fallback !== undefined && { fallback }) }),
    ...(automatic && { isAutomatic: true }),
  }
  const request = context.gates?.stored(command.request) ?? command.request
  propose(context, newEvent('gate.opened', { gate, approval, ...whatElse }))
  context.journal.proposeAlongside({
    stream: approvalStream(approval),
    expected: 0,
    events: [newEvent('approval.requested', request, context.at)],
  })
}

function closeGate<Work>(context: ProposalContext<Work>, gate: string, approval: string, reason: string): void {
  propose(context, newEvent('gate.expired', { gate, approval, reason }))
  context.journal.proposeAlongside({
    stream: approvalStream(approval),
    expected: 'any',
    events: [newEvent('approval.cancelled', { reason }, context.at)],
  })
}

function startChild<Work>(context: ProposalContext<Work>, { child, create }: CommandOf<'child'>): void {
  const id = newId('run')
  propose(context, newEvent('child.started', { child, run: id }))
  const { placement, sandbox } = context.journal.run
  const created = {
    ...create,
    ...(placement && { placement }),
    ...(sandbox && { sandbox }),
    parent: { run: context.journal.id, child },
  }
  context.journal.proposeAlongside({
    stream: runStream(id),
    expected: 0,
    events: [newEvent('run.created', created, context.at)],
  })
}

function checkBudget<Work>(context: ProposalContext<Work>): void {
  const { run } = context.journal
  const timeMs = run.ranMs + (run.runningSince === null ? 0 : Math.max(0, context.at - run.runningSince))
  const { warned, exceeded } = checkLimits(run.limits, context.usage, timeMs)
  for (const spending of warned)
    if (!run.warned.has(spending.limit)) propose(context, newEvent('budget.warned', { ...spending }))
  if (exceeded.length === 0) return
  for (const spending of exceeded) propose(context, newEvent('budget.exceeded', { ...spending }))
  if (!run.gates.has(BUDGET_GATE))
    openGate(context, { do: 'gate', gate: BUDGET_GATE, request: budgetRequest(run, exceeded) })
  propose(context, newEvent('run.paused', { reason: 'budget' }))
}

function endRun<Work>(
  context: ProposalContext<Work>,
  { status, reason, text, outcome, objections, outputs, successor, successorEvents = [] }: CommandOf<'end'>,
): void {
  const { run } = context.journal
  const next = successor && newId('run')
  const ending: EventData<'run.completed'> = {
    reason,
    durationMs: Math.max(0, context.at - (run.startedAt ?? run.createdAt)),
    usage: run.usage,
    artifacts: run.artifacts,
    ...(text !== undefined && { text }),
    ...(outcome !== undefined && { outcome }),
    ...(objections && { objections }),
    ...(next !== undefined && { successor: next }),
  }
  for (const [gate, { approval }] of [...run.gates]) closeGate(context, gate, approval, `the run is ${status}`)
  propose(context, newEvent(`run.${status}`, ending))
  if (successor && next !== undefined) {
    const events = [newEvent('run.created', successor, context.at), ...successorEvents]
    context.journal.proposeAlongside({ stream: runStream(next), expected: 0, events })
    return
  }
  if (!run.parent) return
  const { run: parent, child } = run.parent
  context.journal.proposeAlongside({
    stream: runStream(parent),
    expected: 'any',
    events: [
      newEvent('child.finished', { child, run: run.id, status, reason, ...(outputs && { outputs }) }, context.at),
    ],
  })
}

type CommandOf<D extends WorkflowCommand['do']> = Extract<WorkflowCommand, { do: D }>

function propose<Work>(context: Pick<ProposalContext<Work>, 'journal' | 'at'>, ...events: NewEvent[]): void {
  context.journal.propose(events, context.at)
}

function started({ owner, epoch }: Lease): NewEvent {
  return newEvent('run.started', { host: owner, epoch })
}
