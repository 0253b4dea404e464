import type { ApprovalRequest } from '../../approvals/index.js'
import type { EventData } from '../../events/index.js'
import type { StoredEvent } from '../../store/index.js'
import type { Workflow, WorkflowCommand } from '../workflow.js'

/** One item of a list; `retries` are further attempts after a failed one. */
export type ListItem =
  | { do: 'step'; name: string; retries?: number }
  | { do: 'all'; names: string[]; enough?: number }
  | { do: 'wait'; name: string; ms: number }
  | { do: 'ask'; name: string; timeoutMs?: number }
  | { do: 'run'; name: string; items: ListItem[] }

interface ListWork {
  items: ListItem[]
  at: number
  attempt: number
  /** Ended steps of the current item, with their status. */
  ended: Record<string, string>
  recovering: string | null
  answers: Record<string, string>
  failed: string | null
}

/** A workflow for tests: runs the items of its input in order. */
export const listWorkflow: Workflow<ListWork> = {
  kind: 'list',
  version: 1,
  begin: created => ({
    items: created.input.items as ListItem[],
    at: 0,
    attempt: 1,
    ended: {},
    recovering: null,
    answers: {},
    failed: null,
  }),
  evolve(work, event) {
    evolve(work, event)
    return work
  },
  decide(work, { id }): readonly WorkflowCommand[] {
    if (work.failed !== null) return [{ do: 'end', status: 'failed', reason: work.failed }]
    const item = work.items[work.at]
    if (!item) return [{ do: 'end', status: 'completed', reason: 'done' }]
    if (work.recovering) return [{ do: 'recover', step: work.recovering, effect: 'work', input: null }]
    switch (item.do) {
      case 'step':
        return [{ do: 'step', step: stepOf(work, item.name), effect: 'work', input: { name: item.name } }]
      case 'all':
        return item.names
          .filter(name => work.ended[stepOf(work, name)] === undefined)
          .map(name => ({ do: 'step', step: stepOf(work, name), effect: 'work', input: { name } }))
      case 'wait':
        return [{ do: 'timer', timer: item.name, ms: item.ms }]
      case 'ask':
        return [
          {
            do: 'gate',
            gate: item.name,
            request: requestFor(item.name, id),
            ...(item.timeoutMs !== undefined && { timeoutMs: item.timeoutMs }),
          },
        ]
      case 'run':
        return [{ do: 'child', child: item.name, create: listRun(item.items, item.name) }]
    }
  },
}

function evolve(work: ListWork, event: StoredEvent): void {
  const data = event.data as Record<string, string>
  const item = work.items[work.at]
  switch (event.type) {
    case 'step.ended': {
      if (item?.do === 'step' && data.step === stepOf(work, item.name)) {
        if (data.status === 'ok') next(work)
        else if (work.attempt <= (item.retries ?? 0)) work.attempt++
        else work.failed = `${item.name}: ${data.reason ?? data.status}`
      } else if (item?.do === 'all') endOne(work, item, data.step!, data.status!)
      return
    }
    case 'step.lost':
      work.recovering = data.step!
      return
    case 'step.recovered':
      if (data.step !== work.recovering) return
      work.recovering = null
      if (data.verdict === 'success' && item?.do === 'all') endOne(work, item, data.step!, 'ok')
      else if (data.verdict === 'success') next(work)
      else {
        work.attempt++
        work.ended = {}
      }
      return
    case 'timer.fired':
      if (item?.do === 'wait' && item.name === data.timer) next(work)
      return
    case 'gate.answered':
    case 'gate.expired':
      if (item?.do !== 'ask' || item.name !== data.gate) return
      work.answers[item.name] = data.option ?? 'expired'
      next(work)
      return
    case 'child.finished':
      if (item?.do !== 'run' || item.name !== data.child) return
      if (data.status === 'completed') next(work)
      else work.failed = `${item.name} is ${data.status}`
      return
    case 'run.resumed':
      work.failed = null
      work.attempt++
      return
  }
}

/**
 * A step of an earlier item or attempt, which ends when no one needs it, does not count.
 */
function endOne(work: ListWork, item: ListItem & { do: 'all' }, step: string, status: string): void {
  if (!item.names.some(name => stepOf(work, name) === step)) return
  work.ended[step] = status
  const good = Object.values(work.ended).filter(one => one === 'ok').length
  if (good >= (item.enough ?? item.names.length)) next(work)
  else if (Object.keys(work.ended).length === item.names.length) work.failed = 'not enough'
}

function next(work: ListWork): void {
  work.at++
  work.attempt = 1
  work.ended = {}
}

function stepOf(work: ListWork, name: string): string {
  return `${name}@${work.at + 1}#${work.attempt}`
}

export function listRun(items: ListItem[], title = 'a list'): EventData<'run.created'> {
  return { kind: 'list', title, project: '/project', cwd: '/project', person: 'someone', input: { items } }
}

function requestFor(gate: string, run: string): ApprovalRequest {
  const options = ['yes', 'no'].map(label => ({
    key: label,
    label,
    meaning: 'choice' as const,
    from: 'signalbox' as const,
    danger: null,
  }))
  return {
    kind: 'gate',
    subject: { agent: 'list', run, project: '/project', cwd: '/project', hostName: 'here' },
    request: { tool: gate, input: null, text: gate, questions: [], options, freeText: 'none' },
    source: { channel: 'run', requestKey: gate, evidence: [] },
    fingerprint: '0'.repeat(64),
    instance: gate,
    risk: { level: 'low', reasons: [] },
    display: { title: gate, blocks: [], findings: [], hash: '0'.repeat(64) },
  }
}
