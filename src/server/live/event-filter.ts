import { SignalboxError } from '../../errors/index.js'

/** The subject of a stream: everything, one session, or one run. */
export interface EventScope {
  kind: 'all' | 'session' | 'run'
  id: string
}

/** @throws SignalboxError `E_INPUT` */
export function parseScope(text: string): EventScope {
  if (text === 'all') return { kind: 'all', id: '' }
  const match = /^(session|run):([\w-]{1,64})$/.exec(text)
  if (match) return { kind: match[1] as 'session' | 'run', id: match[2]! }
  throw new SignalboxError('E_INPUT', `unknown scope "${text.slice(0, 80)}"`, {
    next: 'use all, session:<id> or run:<id>',
  })
}

/**
 * Whether an event of the log belongs to a scope: by its stream, or because it names the session or
 * run.
 */
export function isInScope(scope: EventScope, stream: string, data: Record<string, unknown>): boolean {
  if (scope.kind === 'all' || stream === `${scope.kind}/${scope.id}`) return true
  const subject = data.subject as Record<string, unknown> | undefined
  return data[scope.kind] === scope.id || subject?.[scope.kind] === scope.id
}

/** Matches types such as `message.final` or `approval.*`; an empty list matches all. */
export function typeFilter(types: readonly string[]): (type: string) => boolean {
  if (types.length === 0) return () => true
  const exact = new Set(types.filter(type => !type.endsWith('*')))
  const prefixes = types.filter(type => type.endsWith('*')).map(type => type.slice(0, -1))
  return type => exact.has(type) || prefixes.some(prefix => type.startsWith(prefix))
}
