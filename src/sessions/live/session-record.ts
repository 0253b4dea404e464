import { type EventData, type EventType, isEvent } from '../../events/index.js'
import type { ProjectedEvent, Projection } from '../../store/index.js'

/** A session as lists show it: a projection of its events. */
export interface SessionRecord {
  id: string
  number: number
  person: string
  agent: string
  agentVersion?: string
  agentSessionId?: string
  label?: string
  /** What the first prompt asks for, as a short name; surfaces show it where there is no label. */
  title?: string
  /** The beginning of the last prompt. */
  lastPrompt?: string
  project: string
  cwd: string
  args: string[]
  pid: number
  size: { cols: number; rows: number }
  startedAt: number
  /** When its last turn began or ended. */
  activeAt?: number
  endedAt?: number
  state: 'starting' | 'live' | 'ended' | 'lost'
  exit?: { code: number | null; signal: string | null } | null
  endReason?: string
  resumedFrom?: string
  /** The session that resumed the conversation. */
  resumedBy?: string
  /** How Signalbox and the agent talk; absent: through the agent's terminal. */
  channel?: 'acp'
  recording: string
  owner: string
  /** The worker or, on a shared store, the server that runs it; absent: the only server. */
  worker?: string
  /** Environment variables that say where its agent keeps its files. */
  agentVariables?: Record<string, string>
  /** The sandbox that it runs in. */
  sandbox?: EventData<'session.started'>['sandbox']
  /** What the agent does without asking, because a person chose that in its own menu. */
  allows?: { tool: string; label: string; approval: string; since: number }[]
  /** When its owner last selected it, by surface. */
  chosen?: Record<string, number>
  /** What its agent had reported about its own work when it ended. */
  stats?: EventData<'session.stats-final'>
  /** What its agent has used, while it runs; `stats` has it after the end. */
  spent?: EventData<'session.spent'>
  /** What it may use; absent: as the settings say. */
  budget?: SessionBudget
  /** The budget that is used up. */
  paused?: EventData<'session.paused'> & { since: number }
  /** The parts of its recording that the server has as blobs. */
  saved?: { from: number; bytes: number; blob: string }[]
  version: number
}

/** What a session may use before it is paused; null: no limit. */
export interface SessionBudget {
  usd: number | null
  tokens: number | null
}

const TYPES: readonly EventType[] = [
  'session.started',
  'session.ready',
  'session.ended',
  'session.stats-final',
  'session.spent',
  'session.budget-set',
  'session.paused',
  'session.unpaused',
  'session.lost',
  'session.renamed',
  'session.identified',
  'session.resumed',
  'session.chosen',
  'session.allowance-made',
  'session.allowance-ended',
  'session.forgotten',
  'recording.saved',
  'turn.opened',
  'turn.prompted',
  'turn.closed',
]

export const sessionsProjection: Projection<SessionRecord> = {
  name: 'sessions',
  version: 12,
  types: TYPES,
  key: event => event.stream.slice(event.stream.indexOf('/') + 1),
  evolve: (record, event) => {
    const next = evolve(record, event)
    return next && { ...next, version: event.version }
  },
  index: ({ worker }) => ({ worker: worker ?? null }),
}

function evolve(record: SessionRecord | null, event: ProjectedEvent): SessionRecord | null {
  if (isEvent(event, 'session.started')) {
    const { agentVersion, agentSessionId, label, resumedFrom, agentVariables, worker, channel, ...rest } = event.data
    return {
      id: event.stream.slice(event.stream.indexOf('/') + 1),
      ...rest,
      ...(agentVersion !== undefined && { agentVersion }),
      ...(agentSessionId !== undefined && { agentSessionId }),
      ...(label !== undefined && { label }),
      ...(resumedFrom !== undefined && { resumedFrom }),
      ...(agentVariables !== undefined && { agentVariables }),
      ...(worker !== undefined && { worker }),
      ...(channel !== undefined && { channel }),
      startedAt: event.at,
      state: 'starting',
      version: event.version,
    }
  }
  if (!record) return null
  if (isEvent(event, 'session.forgotten')) return null
  if (isEvent(event, 'session.ready')) return record.state === 'starting' ? { ...record, state: 'live' } : record
  if (isEvent(event, 'session.ended')) {
    return { ...record, state: 'ended', endedAt: event.at, exit: event.data.exit, endReason: event.data.reason }
  }
  if (isEvent(event, 'session.stats-final')) return { ...record, stats: event.data }
  if (isEvent(event, 'session.spent')) return { ...record, spent: event.data }
  if (isEvent(event, 'session.budget-set')) {
    const { person: _, ...budget } = event.data
    return { ...record, budget }
  }
  if (isEvent(event, 'session.paused')) return { ...record, paused: { ...event.data, since: event.at } }
  if (isEvent(event, 'session.unpaused')) {
    const { paused: _, ...rest } = record
    return rest
  }
  // A session whose end was recorded is not lost, whatever a later host concluded.
  if (isEvent(event, 'session.lost') && record.state !== 'ended')
    return { ...record, state: 'lost', endedAt: event.at, endReason: event.data.reason }
  if (isEvent(event, 'session.identified')) {
    const { agentSessionId, agentVersion } = event.data
    return { ...record, agentSessionId, ...(agentVersion !== undefined && { agentVersion }) }
  }
  if (isEvent(event, 'session.chosen') && event.data.person === record.person)
    return { ...record, chosen: { ...record.chosen, [event.data.surface]: event.at } }
  if (isEvent(event, 'session.allowance-made')) {
    const { session: _, ...allowed } = event.data
    return { ...record, allows: [...allowancesExcept(record, allowed.label), { ...allowed, since: event.at }] }
  }
  if (isEvent(event, 'session.allowance-ended'))
    return { ...record, allows: allowancesExcept(record, event.data.label) }
  if (isEvent(event, 'recording.saved')) {
    const { session: _, ...part } = event.data
    return { ...record, saved: [...(record.saved ?? []), part] }
  }
  if (isEvent(event, 'turn.opened') || isEvent(event, 'turn.prompted'))
    return { ...withPrompt(record, event.data.prompt), activeAt: event.at }
  if (isEvent(event, 'turn.closed')) return { ...record, activeAt: event.at }
  if (isEvent(event, 'session.resumed')) return { ...record, resumedBy: event.data.by }
  if (isEvent(event, 'session.renamed')) {
    const { label: _, ...unnamed } = record
    return event.data.label === null ? unnamed : { ...record, label: event.data.label }
  }
  return record
}

const PROMPT_MAX = 400

function withPrompt(record: SessionRecord, prompt = ''): SessionRecord {
  const text = prompt.trim()
  if (text === '') return record
  const title = record.title ?? titleFrom(text)
  return { ...record, lastPrompt: text.slice(0, PROMPT_MAX), ...(title !== null && { title }) }
}

const TITLE_MAX = 60

/**
 * A name for a session from its first prompt: its first line, without courtesies, cut at a word.
 * Null for a command of the agent (`/context`), which says nothing about the work.
 */
function titleFrom(prompt: string): string | null {
  if (/^[/!#]\S/.test(prompt)) return null
  const line = prompt.split('\n').find(candidate => /[\p{L}\p{N}]/u.test(candidate)) ?? ''
  const plain = line
    .replace(/^\W*(?:please|can you|could you|hi|hello|hey)\b[\s,:!]*(?:please\b\s*)?(?=\S+\s+\S|\s*$)/i, '')
    .replace(/\s+/g, ' ')
    .trim()
  if (plain === '') return null
  const characters = [...plain]
  const cut = characters
    .slice(0, TITLE_MAX)
    .join('')
    .replace(/\s+\S*$/, '')
  const short = characters.length <= TITLE_MAX ? plain.replace(/[.:,;]+$/, '') : `${cut}…`
  return short.charAt(0).toUpperCase() + short.slice(1)
}

function allowancesExcept({ allows = [] }: SessionRecord, label: string): NonNullable<SessionRecord['allows']> {
  return allows.filter(allowed => allowed.label !== label)
}

export function sessionStream(id: string): string {
  return `session/${id}`
}
