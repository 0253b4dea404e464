import type { StoredEvent } from '../../store/index.js'

/** An event of a run under attractor's name for it. */
export interface AttractorEvent {
  /** Its position in the stream: a reader that reconnects names the last one it received. */
  id: string
  event: AttractorEventName
  at: number
  data: Record<string, unknown>
}

export type AttractorEventName =
  | 'PipelineStarted'
  | 'PipelineCompleted'
  | 'PipelineFailed'
  | 'StageStarted'
  | 'StageCompleted'
  | 'StageFailed'
  | 'StageRetrying'
  | 'ParallelStarted'
  | 'ParallelBranchStarted'
  | 'ParallelBranchCompleted'
  | 'ParallelCompleted'
  | 'InterviewStarted'
  | 'InterviewCompleted'
  | 'InterviewTimeout'
  | 'CheckpointSaved'

type Mapped = [AttractorEventName, Record<string, unknown>]

/**
 * Maps the events of a run to attractor's events, in order. It needs every event from the first one
 * on, because the events of an end carry facts of the start; a reader skips what it already has.
 */
export class AttractorEventMapper {
  #id = ''
  #name = ''
  #createdAt = 0
  #index = 0
  /** Stages that are running, by branch and node. */
  readonly #stages = new Map<string, { index: number; at: number; handler: string; good: number; bad: number }>()
  readonly #branches = new Map<string, { index: number; at: number; parallel: string }>()
  readonly #questions = new Map<string, { stage: string; at: number }>()

  map(event: StoredEvent): AttractorEvent[] {
    const mapped = this.#map(event)
    return mapped.map(([name, data], nth) => ({
      id: mapped.length === 1 ? String(event.version) : `${event.version}.${nth + 1}`,
      event: name,
      at: event.at,
      data,
    }))
  }

  #map({ type, data, at, stream }: StoredEvent): Mapped[] {
    const branch = String(data.branch ?? '')
    switch (type) {
      case 'run.created':
        this.#id = stream.slice('run/'.length)
        this.#name = String(data.title ?? '')
        this.#createdAt = at
        return []
      case 'run.started':
        return this.#started()
      case 'run.completed':
        return [['PipelineCompleted', { ...this.#ending(at, data), artifact_count: Number(data.artifacts ?? 0) }]]
      case 'run.failed':
        return [['PipelineFailed', { ...this.#ending(at, data), error: String(data.text ?? data.reason ?? '') }]]
      case 'run.rejected':
      case 'run.cancelled':
        return [['PipelineFailed', { ...this.#ending(at, data), error: `${type.slice(4)}: ${String(data.reason)}` }]]
      case 'node.started':
        return this.#stageStarted(String(data.node), branch, String(data.handler), at)
      case 'node.finished':
        return this.#stageEnded(data, branch, at)
      case 'node.retrying':
        return [['StageFailed', { ...this.#stageOf(branch, data.node), error: String(data.reason), will_retry: true }]]
      case 'timer.set':
        return this.#retrying(String(data.timer), Number(data.due) - at)
      case 'branch.started':
        return this.#branchStarted(data, at)
      case 'branch.finished':
      case 'branch.cancelled':
        return this.#branchEnded(data, type === 'branch.cancelled', at)
      case 'gate.opened': {
        const stage = nodeOf(String(data.gate))
        this.#questions.set(String(data.approval), { stage, at })
        return [['InterviewStarted', { question: String(data.approval), stage }]]
      }
      case 'gate.answered':
      case 'gate.expired':
        return this.#interviewEnded(data, type === 'gate.expired', at)
      case 'checkpoint.saved':
        return [['CheckpointSaved', { node_id: String(data.node), next_node: data.next ?? null }]]
      default:
        return []
    }
  }

  #started(): Mapped[] {
    // A run that another host takes over has not started again.
    if (this.#index > 0) return []
    this.#index = 1
    return [['PipelineStarted', { id: this.#id, name: this.#name }]]
  }

  #ending(at: number, { status, reason, durationMs, usage, successor }: Record<string, unknown>) {
    return {
      id: this.#id,
      name: this.#name,
      duration_ms: typeof durationMs === 'number' ? durationMs : Math.max(0, at - this.#createdAt),
      ...(reason !== undefined && { reason }),
      ...(status !== undefined && { status }),
      ...(usage !== undefined && { usage }),
      ...(successor !== undefined && { successor }),
    }
  }

  #stageStarted(node: string, branch: string, handler: string, at: number): Mapped[] {
    const index = this.#index++
    this.#stages.set(`${branch} ${node}`, { index, at, handler, good: 0, bad: 0 })
    return [['StageStarted', { ...this.#stageOf(branch, node), handler }]]
  }

  #stageEnded({ node, status, notes, failureReason }: Record<string, unknown>, branch: string, at: number): Mapped[] {
    const stage = this.#stages.get(`${branch} ${String(node)}`)
    const about = { ...this.#stageOf(branch, node), duration_ms: Math.max(0, at - (stage?.at ?? at)) }
    const ended: Mapped =
      status === 'fail'
        ? ['StageFailed', { ...about, error: String(failureReason ?? notes ?? ''), will_retry: false }]
        : ['StageCompleted', { ...about, status, ...(notes !== undefined && { notes }) }]
    if (stage?.handler !== 'parallel') return [ended]
    const counts = { success_count: stage.good, failure_count: stage.bad }
    return [['ParallelCompleted', { ...about, ...counts }], ended]
  }

  #retrying(timer: string, delay: number): Mapped[] {
    const match = /^retry (?:(.*)\/)?(\w+)@\d+#(\d+)$/.exec(timer)
    if (!match) return []
    const [, branch = '', node = '', attempt = '1'] = match
    return [['StageRetrying', { ...this.#stageOf(branch, node), attempt: Number(attempt), delay_ms: delay }]]
  }

  /** The first branch says how many there are. */
  #branchStarted({ branch, parent, parallel, node, count }: Record<string, unknown>, at: number): Mapped[] {
    const index = Number(/(\d+)$/.exec(String(branch))?.[1] ?? 1) - 1
    const outer = String(parent ?? '')
    this.#branches.set(String(branch), { index, at, parallel: `${outer} ${String(parallel)}` })
    const started: Mapped = ['ParallelBranchStarted', { branch, index, node }]
    if (index > 0) return [started]
    const branchCount = typeof count === 'number' ? { branch_count: count } : {}
    return [['ParallelStarted', { ...this.#stageOf(outer, parallel), ...branchCount }], started]
  }

  #branchEnded({ branch, status, notes }: Record<string, unknown>, isCancelled: boolean, at: number): Mapped[] {
    const known = this.#branches.get(String(branch))
    const isGood = !isCancelled && (status === 'success' || status === 'partial_success')
    const stage = known && this.#stages.get(known.parallel)
    if (stage && isGood) stage.good++
    else if (stage && !isCancelled) stage.bad++
    return [
      [
        'ParallelBranchCompleted',
        {
          branch,
          index: known?.index ?? 0,
          duration_ms: Math.max(0, at - (known?.at ?? at)),
          success: isGood,
          ...(isCancelled && { cancelled: true }),
          ...(notes !== undefined && { notes }),
        },
      ],
    ]
  }

  #interviewEnded(data: Record<string, unknown>, isExpired: boolean, at: number): Mapped[] {
    const question = String(data.approval)
    const known = this.#questions.get(question)
    const about = {
      question,
      stage: known?.stage ?? nodeOf(String(data.gate)),
      duration_ms: Math.max(0, at - (known?.at ?? at)),
    }
    if (isExpired) return [['InterviewTimeout', { ...about, reason: String(data.reason ?? '') }]]
    const answer = data.text ?? data.label ?? data.option
    return [['InterviewCompleted', { ...about, answer, by: data.by }]]
  }

  #stageOf(branch: string, node: unknown): Record<string, unknown> {
    const index = this.#stages.get(`${branch} ${String(node)}`)?.index ?? 0
    return { name: String(node), index, ...(branch !== '' && { branch }) }
  }
}

/** `p@1.2/review@1#1` → `review` */
function nodeOf(step: string): string {
  const own = step.slice(step.lastIndexOf('/') + 1)
  return own.slice(0, own.indexOf('@'))
}

/** Whether the stream ends with this event. */
export function isLast(name: AttractorEventName): boolean {
  return name === 'PipelineCompleted' || name === 'PipelineFailed'
}

/**
 * Whether an event comes after the last one that a reader received; an invalid id means the start.
 */
export function isAfter(id: string, seen: string | null): boolean {
  if (seen === null || !/^\d+(\.\d+)?$/.test(seen)) return true
  const [version = 0, part = 0] = id.split('.').map(Number)
  const [seenVersion = 0, seenPart = Number.POSITIVE_INFINITY] = seen.split('.').map(Number)
  return version > seenVersion || (version === seenVersion && part > seenPart)
}
