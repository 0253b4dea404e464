// What the API answers with, as far as the page uses it. Times come as milliseconds or RFC 3339; `timeOf` reads both.

export type Time = number | string

export interface Actor {
  kind?: string
  id: string
  name: string
  role?: Role
}

export type Role = 'viewer' | 'approver' | 'owner'

export interface Me {
  person: { id?: string; name: string; role: Role }
  device?: string
  expiresAt?: Time
  isReadOnly?: boolean
  isConfirmed?: boolean
  hasPassphrase?: boolean
  isDemo?: boolean
}

export interface Holder {
  kind: 'none' | 'person' | 'signalbox' | string
  id?: string
  name?: string
}

export interface Session {
  id: string
  number: number
  agent: string
  agentVersion?: string
  label?: string
  cwd: string
  project: string
  pid: number
  state: 'starting' | 'live' | 'ended' | 'lost'
  startedAt: Time
  endedAt?: Time
  exit?: { code: number | null; signal: string | null } | null
  recording?: string
  phase?: string
  view?: string
  busy?: boolean | null
  awaiting?: string | null
  rule?: string
  idle?: boolean
  holder?: Holder
  question?: string
  approval?: string
  held?: number
  resumedFrom?: string
  resumedBy?: string
  agentSessionId?: string
  version?: number
  person?: string
  size?: { cols: number; rows: number }
  /** What the agent does without asking since somebody chose that in its own menu. */
  allows?: { tool: string; label: string; approval: string; since: Time }[]
  /** What to send so that it makes room in its conversation. */
  compact?: string
  crew?: Crew
}

export type PaneStatus = 'idle' | 'running' | 'long-running' | 'waiting-approval' | 'done' | 'failed'

export interface Pane {
  id: string
  source: 'session' | 'tmux'
  place: string
  name: string
  agent: string | null
  job: string | null
  command: string
  cwd: string
  title: string
  status: PaneStatus
  shown: PaneStatus
  since: Time
  startedAt: Time
  waitedSince?: Time
  needsYou: boolean
  doing: string
  seen: boolean
  background: number
  stuck: 'frozen' | 'no-progress' | null
  exitCode?: number | null
  why: { claim: string | null; authority: string; rule: string; confidence: number; staleForS: number | null }
  stateId: number
  approval?: string
}

export interface ApprovalOption {
  key: string
  label: string
  meaning:
    | 'allow-once'
    | 'allow-session'
    | 'allow-always'
    | 'deny'
    | 'deny-with-text'
    | 'choice'
    | 'text'
    | 'cancel'
    | string
  danger?: string | null
  question?: number
}

export interface DisplayBlock {
  kind: string
  text?: string
  /** What is suspicious about it. */
  finding?: string
  /** For look-alikes: what it pretends to be. */
  reading?: string
}

export interface Approval {
  id: string
  state: 'pending' | 'decided' | 'applied' | 'stale' | 'expired' | 'cancelled'
  version: number
  kind: 'permission' | 'question' | 'plan' | 'gate' | 'review' | 'budget' | 'auth'
  requestedAt: Time
  fingerprint: string
  subject: {
    agent: string
    session?: string
    run?: string
    effect?: string
    project: string
    cwd: string
    hostName: string
  }
  request: {
    tool: string
    input?: unknown
    text: string | null
    freeText?: 'none' | 'optional' | 'required'
    questions: { text: string; header?: string; multi: boolean }[]
    options: ApprovalOption[]
    plan?: { path: string; sha256: string; bytes: number }
    items?: ReviewItem[]
  }
  screenOptions?: ApprovalOption[]
  source?: { channel: string; mismatch?: string; can?: string[] }
  risk: { level: 'low' | 'elevated' | 'high'; reasons: string[] }
  display: {
    title: string
    hash: string
    blocks: DisplayBlock[]
    visible?: { what: string; count: number }[]
    isCut?: boolean
  }
  decision?: {
    at: Time
    option: string
    choices?: string[]
    text?: string
    note?: string
    actor: Actor
    surface: string
    madeGrant?: string
    grantId?: string
  }
  /** `followedBy`: the same request, known better, stands in its place. */
  outcome?: {
    at: Time
    reason?: string
    followedBy?: string
    evidence?: { kind: string; way?: string }[]
    observed?: unknown
  }
  deadline?: { at: Time; onExpiry?: string }
  follows?: string
  /** How often the same was asked within ten minutes, where that is a loop. */
  repeats?: number
  behind?: string
  neverAuto?: string
}

export interface ReviewItem {
  id: string
  severity?: string
  title?: string
  file?: string
  line?: number
  text?: string
  verdict?: string
  evidence?: string
  code?: string
}

export interface Grant {
  id: string
  scope: { kind: string; session?: string; run?: string; node?: string; project?: string }
  match: { kind: string; words?: string[]; directory?: string }
  tools: string[]
  agent: string
  project: string
  expiresAt: Time
  maxUses: number
  uses?: number
  used?: number
  by: Actor
  ended?: { reason: string } | null
}

export interface Usage {
  input: number
  output: number
  cacheRead?: number
  cacheWrite?: number
  costUsd?: number
  isEstimate?: boolean
}

export type RunStatus = 'queued' | 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'rejected' | 'cancelled'

export interface Run {
  id: string
  kind: string
  title: string
  project: string
  cwd: string
  person: string
  labels: Record<string, string>
  status: RunStatus
  reason: string | null
  createdAt: Time
  startedAt: Time | null
  updatedAt: Time
  endedAt: Time | null
  wakeAt?: Time | null
  step: string | null
  steps: number
  /** Of a run that is still open. */
  progress?: { unit: 'nodes' | 'rounds'; done: number; of: number } | null
  gates: Record<string, string>
  usage: Usage
  parent: string | null
  from?: { run: string; as: string } | null
  version?: number
}

export interface InlineRun {
  text: string
  bold?: boolean
  italic?: boolean
  strike?: boolean
  code?: boolean
  link?: string
}

export interface ToolRef {
  name: string
  kind?: string
  summary?: string
  command?: string
  path?: string
  url?: string
}

export interface TodoItem {
  text: string
  status: 'open' | 'in_progress' | 'done'
}

export type BlockContent =
  | { kind: 'prose'; variant: 'paragraph' | 'heading' | 'quote'; runs: InlineRun[] }
  | { kind: 'code'; language: string; lines: string[] }
  | {
      kind: 'list'
      items: { depth: number; number: number | null; checked: boolean | null; runs: InlineRun[] }[]
    }
  | { kind: 'table'; header: InlineRun[][]; body: InlineRun[][][]; align: ('left' | 'right' | 'center')[] }
  | { kind: 'diff'; lines: { sign: '+' | '-' | ' ' | '@'; number: number | null; text: string }[] }
  | { kind: 'tool_call'; tool: ToolRef }
  | { kind: 'tool_result'; lines: string[]; ok: boolean | null }
  | { kind: 'todo'; items: TodoItem[] }
  | { kind: 'user' | 'thought' | 'notice' | 'error'; text: string }

export type Block = BlockContent & { id: string; provisional?: boolean; missing?: boolean }

export interface Message {
  at: Time
  session?: string
  turn: string
  message: string
  blocks: Block[]
  provisional: boolean
  markdown?: string
}

export interface StreamEvent {
  type: string
  at: Time
  subject: string
  version: number
  data: Record<string, unknown>
}

export interface Hello {
  subscription: string
  resume: 'ok' | 'gap'
  position: number | string
  server?: string
  schema?: number | string
}

export interface ApiErrorBody {
  code: string
  message: string
  next?: string
  place?: unknown
  fields?: { path: string; message: string }[]
  details?: Record<string, unknown>
  first?: { actor?: Actor; by?: string; surface?: string; option?: string }
  requestId?: string
}

export interface Helper {
  id: string
  parent: string | null
  name: string | null
  task: string | null
  state: 'working' | 'blocked' | 'done' | 'failed'
  doing: string | null
  since: Time | null
  endedAt: Time | null
  tools: number
  tokens: number
}

/** What an agent tells of its own work; of a session that has ended, as it stood then. */
export interface Crew {
  model: string | null
  context: { used: number; window: number | null } | null
  contextLeftPercent: number | null
  spent: { input: number; output: number; costUsd: number | null }
  helpers: Helper[]
}
