import type { Time, Usage } from '../api/types'

export interface Step {
  step: string
  node: string
  visit: number
  attempt: number
  branch: string | null
  effect: string
  startedAt: Time
  endedAt: Time | null
  status: 'open' | 'ok' | 'failed' | 'silent' | 'cancelled' | 'lost' | 'cut'
  reason: string | null
  input: unknown
  result: unknown
  session: string | null
  agentSession: string | null
  usage: Usage | null
  recovery: { verdict: string; evidence: { source: string; says: string }[] } | null
}

export interface Visit {
  node: string
  visit: number
  branch: string | null
  handler: string | null
  startedAt: Time
  endedAt: Time | null
  status: string
  outcome: string | null
  notes: string | null
  failureReason: string | null
  failureClass: string | null
  commit: string | null
  edge: { to: string; edge: string | null; reason: string } | null
  retries: { attempt: number; reason: string; at: Time }[]
  gates: { gate: string; approval: string; openedAt: Time; endedAt: Time | null }[]
  attempts: Step[]
}

export interface Timeline {
  startedAt: Time
  endedAt: Time | null
  visits: Visit[]
}

export interface RunNode {
  node: string
  label: string
  handler: string | null
  status: string
  visits: number
  attempts: number
  ms: number
  usage: Usage
}

export interface LogLine {
  at: Time
  level: 'info' | 'warning' | 'error'
  node: string | null
  step: string | null
  source: 'run' | 'agent'
  type: string
  text: string
}
