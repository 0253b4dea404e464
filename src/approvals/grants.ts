import { type EventData, type EventType, isEvent } from '../events/index.js'
import type { ProjectedEvent, Projection } from '../store/index.js'
import { allowOnceOption, whyManualOnly } from './manual-only.js'
import { type ApprovalPolicy, GRANT_USES_MAX } from './policy.js'
import type { ApprovalRequest } from './record.js'
import { isInside } from './risk/path.js'
import { plainWords } from './risk/plain-command.js'
import { readToolUse } from './risk/tool-input.js'

type GrantMade = EventData<'grant.made'>
type GrantScope = GrantMade['scope']
type GrantMatch = GrantMade['match']
export type GrantEnd = EventData<'grant.ended'>['reason']

/** The grant that a person wants to make with an allow. */
export interface GrantRequest {
  scope: GrantScope['kind']
  forMs?: number
  uses?: number
  match?: { kind: 'same' } | { kind: 'prefix'; words: readonly string[] } | { kind: 'path'; directory: string }
  note?: string
}

export interface GrantRecord extends GrantMade {
  id: string
  version: number
  madeAt: number
  uses: number
  ended?: { reason: GrantEnd; at: number; by?: string }
}

/** Whether all grants are paused; a document of its own. */
export interface GrantSwitch {
  id: 'all'
  version: number
  isPaused: boolean
  by?: string
  at?: number
}

const TYPES: readonly EventType[] = ['grant.made', 'grant.used', 'grant.ended', 'grant.paused', 'grant.resumed']

export const grantsProjection: Projection<GrantRecord | GrantSwitch> = {
  name: 'grants',
  version: 2,
  types: TYPES,
  key: event => event.stream.slice(event.stream.indexOf('/') + 1),
  evolve: (state, event) => {
    const next = evolve(state, event)
    return next && { ...next, version: event.version }
  },
}

export function grantStream(id: string): string {
  return `grant/${id}`
}

function evolve(state: GrantRecord | GrantSwitch | null, event: ProjectedEvent): GrantRecord | GrantSwitch | null {
  const { at, version } = event
  const id = event.stream.slice(event.stream.indexOf('/') + 1)
  if (isEvent(event, 'grant.paused') || isEvent(event, 'grant.resumed'))
    return { id: 'all', version, isPaused: event.type === 'grant.paused', by: event.data.by.name, at }
  if (isEvent(event, 'grant.made')) return { ...event.data, id, version, madeAt: at, uses: 0 }
  if (!state || !isGrant(state)) return state
  if (isEvent(event, 'grant.used')) return { ...state, uses: state.uses + 1 }
  // Only the first end counts.
  if (isEvent(event, 'grant.ended') && !state.ended)
    return { ...state, ended: { reason: event.data.reason, at, ...(event.data.by && { by: event.data.by.name }) } }
  return state
}

export function isGrant(state: GrantRecord | GrantSwitch): state is GrantRecord {
  return state.id !== 'all'
}

/** Whether the grant is still active; `isCovered` checks whether it covers a request. */
export function isActive(grant: GrantRecord, now: number): boolean {
  return !grant.ended && grant.uses < grant.maxUses && now < grant.expiresAt && now >= grant.madeAt - CLOCK_STEP_MS
}

/** After a larger jump, the wall clock no longer tells when a grant ends. */
export const CLOCK_STEP_MS = 60_000

/** Why this grant cannot be made with this request, or null. */
export function whyNoGrant(request: ApprovalRequest, wanted: GrantRequest, policy: ApprovalPolicy): string | null {
  const manual = whyManualOnly(request)
  if (manual) return manual
  if (!allowOnceOption(request)) return 'the request has no plain option that allows once'
  const forMs = wanted.forMs ?? policy.grantForMs
  if (!(forMs > 0)) return 'it needs a duration'
  if (forMs > policy.grantMaxMs)
    return `it may last at most ${policy.grantMaxMs / 60_000} minutes (approvals.grant_max)`
  const uses = wanted.uses ?? policy.grantUses
  if (!Number.isInteger(uses) || uses < 1 || uses > GRANT_USES_MAX) return `it may have 1 to ${GRANT_USES_MAX} uses`
  if (!scopeOf(request, wanted.scope)) return `the request does not belong to a ${wanted.scope}`
  if (isMcp(request) && !request.request.launch) return 'the launch command of the MCP server is unknown'
  const match = matchOf(request, wanted)
  if (typeof match === 'string') return match
  return fits(match, request) ? null : 'it would not cover this request'
}

/** The grant as it will be written. Call `whyNoGrant` first. */
export function grantFrom(
  request: ApprovalRequest,
  wanted: GrantRequest,
  made: Pick<GrantMade, 'by' | 'surface' | 'approval' | 'settings'> & { policy: ApprovalPolicy; now: number },
): GrantMade {
  const { agentVersion, agent, project } = request.subject
  const { launch } = request.request
  const { policy, now, ...rest } = made
  return {
    scope: scopeOf(request, wanted.scope)!,
    match: matchOf(request, wanted) as GrantMatch,
    tools: [request.request.tool],
    agent,
    project,
    ...(agentVersion !== undefined && { agentVersion }),
    ...(launch !== undefined && { launch }),
    expiresAt: now + (wanted.forMs ?? policy.grantForMs),
    maxUses: wanted.uses ?? policy.grantUses,
    ...rest,
    ...(wanted.note !== undefined && { note: wanted.note }),
  }
}

/** Whether the grant allows this request. Everything must match; what is unknown does not match. */
export function isCovered(request: ApprovalRequest, grant: GrantRecord, now: number): boolean {
  return (
    isActive(grant, now) &&
    whyManualOnly(request) === null &&
    allowOnceOption(request) !== null &&
    isOneOf([grant.agent], request.subject.agent) &&
    grant.project === request.subject.project &&
    (grant.standing === true || grant.agentVersion === request.subject.agentVersion) &&
    isOneOf(grant.tools, request.request.tool) &&
    (grant.standing === true || grant.launch === request.request.launch) &&
    (!isMcp(request) || grant.launch !== undefined) &&
    isInScope(request, grant.scope) &&
    fits(grant.match, request)
  )
}

/** A standing approval may be for any agent and any tool that its pattern fits. */
export const ANY = '*'

function isOneOf(names: readonly string[], name: string): boolean {
  return names.includes(ANY) || names.includes(name)
}

function isInScope({ subject }: ApprovalRequest, scope: GrantScope): boolean {
  switch (scope.kind) {
    case 'session':
      return subject.session === scope.session
    case 'run':
      return subject.run === scope.run
    case 'node':
      return subject.run === scope.run && nodeOf(subject.effect) === scope.node
    case 'project':
      return subject.project === scope.project && isOneOf([scope.agent], subject.agent)
  }
}

function scopeOf({ subject }: ApprovalRequest, kind: GrantScope['kind']): GrantScope | null {
  const { session, run, effect, project, agent } = subject
  const node = nodeOf(effect)
  switch (kind) {
    case 'session':
      return session === undefined ? null : { kind, session }
    case 'run':
      return run === undefined ? null : { kind, run }
    case 'node':
      return run === undefined || node === null ? null : { kind, run, node }
    case 'project':
      return { kind, project, agent }
  }
}

/** `run/node@visit#attempt` → `node`. */
function nodeOf(effect: string | undefined): string | null {
  return /^[^/]+\/(.+)@\d+(?:#\d+)?$/.exec(effect ?? '')?.[1] ?? null
}

/** Programs that run other commands: as a prefix on their own they would cover every command. */
const OPEN_ENDED = new Set(
  'sh bash zsh dash ksh fish env sudo doas xargs nohup nice timeout time exec eval command ssh python python3 node deno bun perl ruby php npx bunx pnpx uvx npm yarn pnpm make just git docker podman kubectl'.split(
    ' ',
  ),
)

export function matchOf(
  request: { sharedFingerprint?: string | undefined; subject: { project: string } },
  { match = { kind: 'same' } }: Pick<GrantRequest, 'match'>,
): GrantMatch | string {
  switch (match.kind) {
    case 'same':
      return request.sharedFingerprint === undefined
        ? 'the request has no fingerprint to compare others with'
        : { kind: 'same', sharedFingerprint: request.sharedFingerprint }
    case 'prefix': {
      const words = [...match.words]
      if (words.length === 0 || plainWords(words.map(quoted).join(' '))?.length !== words.length)
        return 'a command prefix must be plain words, without operators, quotes or wildcards'
      if (words.length === 1 && OPEN_ENDED.has(words[0]!)) return `"${words[0]}" alone would allow every command`
      return { kind: 'prefix', words }
    }
    case 'path': {
      const isInProject = match.directory.startsWith('/') && isInside(match.directory, request.subject.project)
      return isInProject ? { kind: 'path', directory: match.directory } : 'the directory lies outside the project'
    }
  }
}

function quoted(word: string): string {
  return /\s/.test(word) ? `'${word}'` : word
}

function fits(match: GrantMatch, request: ApprovalRequest): boolean {
  switch (match.kind) {
    case 'same':
      return request.sharedFingerprint === match.sharedFingerprint
    case 'prefix': {
      const words = commandWords(request)
      return words !== null && match.words.every((word, index) => words[index] === word)
    }
    case 'path': {
      const { targets = [], tool, input } = request.request
      const isWrite = readToolUse(tool, input).kind === 'write'
      return isWrite && targets.length > 0 && targets.every(target => isInside(target.real, match.directory))
    }
  }
}

/** The words of one plain structured command; the screen's is not reliable enough. */
function commandWords({ request: { tool, input } }: ApprovalRequest): string[] | null {
  const use = readToolUse(tool, input)
  if (use.kind !== 'command') return null
  if (typeof use.command === 'string') return plainWords(use.command)
  const [program, flag, script, ...rest] = use.command
  const isShell = /(^|\/)(ba|z|da|k)?sh$/.test(program ?? '')
  if (isShell) return rest.length === 0 && /^-l?c$/.test(flag ?? '') ? plainWords(script ?? '') : null
  // No shell reads an argument list, but a special character may mean something to the program.
  const isPlain = use.command.every(word => plainWords(`x ${quoted(word)}`) !== null)
  return isPlain ? [...use.command] : null
}

function isMcp({ request }: ApprovalRequest): boolean {
  return readToolUse(request.tool, request.input).kind === 'mcp'
}
