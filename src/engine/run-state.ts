import { type EventData, type EventType, isEvent } from '../events/index.js'
import { transition } from '../machine/index.js'
import type { StoredEvent } from '../store/index.js'
import { LOST_WORKER_GATE } from './lost-worker-gate.js'
import { isEnded, type RunStatus, type RunStatusEvent, runStatusTable, statusEventOf } from './run-status-table.js'
import { addUsage, type Limits, NO_USAGE, type Usage } from './usage.js'
import type { Workflow } from './workflow.js'

export interface OpenStep {
  effect: string
  input: unknown
  startedAt: number
  /** The version of its `step.started`, which names this attempt for good. */
  version: number
}

interface OpenGate {
  approval: string
  due: number | null
  /** The workflow chooses itself when the time is over; absent in older snapshots. */
  hasFallback?: boolean
}

/** A run as the engine sees it, folded from its journal; `work` is the workflow's own part. */
export interface RunState<Work = unknown> {
  id: string
  kind: string
  cwd: string
  status: RunStatus
  /** The stream version that is folded in. */
  version: number
  createdAt: number
  startedAt: number | null
  parent: { run: string; child: string } | null
  /** Steps that have not ended. */
  steps: Map<string, OpenStep>
  timers: Map<string, number>
  gates: Map<string, OpenGate>
  children: Map<string, string>
  usage: Usage
  limits: Limits
  warned: Set<string>
  /** Milliseconds of driving, without waits and pauses; `runningSince` while driven. */
  ranMs: number
  runningSince: number | null
  artifacts: number
  /** Which workers may perform its steps; null: only the process that drives it. */
  placement: NonNullable<EventData<'run.created'>['placement']> | null
  sandbox: NonNullable<EventData<'run.created'>['sandbox']> | null
  /** What of its project a person trusted; null: nothing is checked on workers. */
  executable: NonNullable<EventData<'run.created'>['executable']> | null
  /** The W3C `traceparent` of what created it. */
  trace: string | null
  /** The worker that has the run, and how often the run was placed. */
  placed: { worker: string; epoch: number } | null
  /** A person wants it on another worker: on this one, or on any. */
  moveTo: { worker: string | null; isLossy: boolean } | null
  /** How a worker last saved its workspace, and when. */
  saved: EventData<'workspace.saved'> | null
  savedAt: number | null
  /** The steps whose files are only on its worker, and why the first of them was not saved. */
  unsaved: { steps: string[]; reason: string } | null
  /** What a person answered when its worker was lost with such files. */
  onLoss: { option: string; by: string } | null
  work: Work
}

/** @throws TypeError when the first event does not create a run. */
export function beginRun<Work>(workflow: Workflow<Work>, event: StoredEvent): RunState<Work> {
  if (!isEvent(event, 'run.created'))
    throw new TypeError(`the first event of a run must be run.created, not ${event.type}`)
  const id = event.stream.slice('run/'.length)
  return {
    id,
    kind: event.data.kind,
    cwd: event.data.cwd,
    status: 'queued',
    version: event.version,
    createdAt: event.at,
    startedAt: null,
    parent: event.data.parent ?? null,
    steps: new Map(),
    timers: new Map(),
    gates: new Map(),
    children: new Map(),
    usage: NO_USAGE,
    limits: event.data.limits ?? {},
    warned: new Set(),
    ranMs: 0,
    runningSince: null,
    artifacts: 0,
    placement: event.data.placement ?? null,
    sandbox: event.data.sandbox ?? null,
    executable: event.data.executable ?? null,
    trace: event.data.trace ?? null,
    placed: null,
    moveTo: null,
    saved: null,
    savedAt: null,
    unsaved: null,
    onLoss: null,
    work: workflow.begin(event.data, { id, at: event.at }),
  }
}

/** Folds one event, in place. Total: an unexpected event changes nothing but the version. */
export function evolveRun<Work>(run: RunState<Work>, event: StoredEvent, workflow: Workflow<Work>): void {
  run.version = event.version
  // Reported twice, or after the step was declared lost: the first end counts.
  if (isEvent(event, 'step.ended') && !run.steps.has(event.data.step)) return
  evolveEngine(run as RunState, event)
  run.work = workflow.evolve(run.work, event)
}

type Folds = { [T in EventType]?: (run: RunState, data: EventData<T>, event: { at: number; version: number }) => void }

const FOLDS: Folds = {
  'run.placed': (run, { worker, epoch }) => {
    run.placed = { worker, epoch }
    run.moveTo = null
    run.unsaved = null
    run.onLoss = null
  },
  'run.move-asked': (run, { to, isLossy = false }) => {
    run.moveTo = { worker: to ?? null, isLossy }
  },
  'workspace.saved': (run, saved, { at }) => {
    run.saved = saved
    run.savedAt = at
    run.unsaved = null
  },
  'workspace.unsaved': (run, { step, reason }) => {
    run.unsaved = { reason, ...run.unsaved, steps: [...(run.unsaved?.steps ?? []), step] }
  },
  'step.started': (run, { step, effect, input }, { at, version }) => {
    run.steps.set(step, { effect, input, startedAt: at, version })
    // Its worker is back: if it is lost again, a person is asked again.
    run.onLoss = null
  },
  'step.ended': (run, { step, usage }) => {
    run.steps.delete(step)
    if (usage) run.usage = addUsage(run.usage, usage)
  },
  'step.lost': (run, { step }) => run.steps.delete(step),
  'step.recovered': (run, { usage }) => {
    if (usage) run.usage = addUsage(run.usage, usage)
  },
  'timer.set': (run, { timer, due }) => run.timers.set(timer, due),
  'timer.fired': (run, { timer }) => run.timers.delete(timer),
  'timer.cancelled': (run, { timer }) => run.timers.delete(timer),
  'gate.opened': (run, { gate, approval, due, fallback }) =>
    run.gates.set(gate, { approval, due: due ?? null, hasFallback: fallback !== undefined }),
  'gate.answered': (run, { gate, option, by }) => {
    run.gates.delete(gate)
    if (gate === LOST_WORKER_GATE) run.onLoss = { option, by }
  },
  'gate.expired': (run, { gate }) => run.gates.delete(gate),
  'gate.refused': (run, { gate }) => run.gates.delete(gate),
  'child.started': (run, { child, run: id }) => run.children.set(child, id),
  'child.finished': (run, { child }) => run.children.delete(child),
  'budget.warned': (run, { limit }) => run.warned.add(limit),
  'budget.raised': (run, { limits }) => {
    run.limits = { ...run.limits, ...limits }
    run.warned.clear()
  },
  'artifact.stored': run => run.artifacts++,
}

function evolveEngine(run: RunState, event: StoredEvent): void {
  const moved = statusEventOf(event.type)
  if (moved) moveStatus(run, moved, event.at)
  const fold = FOLDS[event.type as EventType] as
    | ((run: RunState, data: unknown, event: StoredEvent) => void)
    | undefined
  fold?.(run, event.data, event)
}

function moveStatus(run: RunState, by: RunStatusEvent, at: number): void {
  const before = run.status
  run.status = transition(runStatusTable, before, by)[0]
  if (run.status === 'running') {
    run.startedAt ??= at
    run.runningSince ??= at
  } else if (run.runningSince !== null) {
    run.ranMs += Math.max(0, at - run.runningSince)
    run.runningSince = null
  }
  // Pausing interrupts the steps: the workflow recovers what they left behind.
  if (run.status === 'paused' && before !== 'paused') run.steps.clear()
  if (before !== run.status && isEnded(run.status)) {
    run.steps.clear()
    run.timers.clear()
  }
}

/** Raise it when the fields of `RunState` change: older snapshots are then discarded. */
const FORMAT = 3

interface SavedRun {
  format: number
  workflow: number
  state: Omit<RunState, 'steps' | 'timers' | 'gates' | 'children' | 'warned' | 'work'> & {
    steps: [string, OpenStep][]
    timers: [string, number][]
    gates: [string, OpenGate][]
    children: [string, string][]
    warned: string[]
    work: unknown
  }
}

export function saveRun<Work>(run: RunState<Work>, workflow: Workflow<Work>): SavedRun {
  const { steps, timers, gates, children, warned, work, ...rest } = run
  return {
    format: FORMAT,
    workflow: workflow.version,
    state: {
      ...rest,
      steps: [...steps],
      timers: [...timers],
      gates: [...gates],
      children: [...children],
      warned: [...warned],
      work: workflow.save ? workflow.save(work) : work,
    },
  }
}

/** Null if another version of the program or of the workflow made the snapshot. */
export function loadRun<Work>(saved: unknown, workflow: Workflow<Work>): RunState<Work> | null {
  const { format, workflow: version, state } = saved as SavedRun
  if (format !== FORMAT || version !== workflow.version || !state) return null
  return {
    ...state,
    steps: new Map(state.steps),
    timers: new Map(state.timers),
    gates: new Map(state.gates),
    children: new Map(state.children),
    warned: new Set(state.warned),
    work: workflow.load ? workflow.load(state.work) : (state.work as Work),
  }
}
