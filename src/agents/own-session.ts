import type { AgentAdapter, InteractiveStart } from './adapter.js'

/** How a program is told on its command line which conversation it is to go on with. */
export interface SessionArguments {
  /** Arguments for a conversation of ours, or nothing for programs that name their conversations themselves. */
  begin: ((id: string) => string[]) | null
  resume(id: string): string[]
  /** Options by which a person names a conversation. */
  options: readonly string[]
  /** Subcommands: what they take is not known here, so nothing is added to them. */
  subcommands: readonly string[]
  isId(word: string): boolean
}

/**
 * The arguments that say which conversation it is, and its id as far as it is known. What a person wrote themselves stays as it is: two
 * answers to the same question would be one too many.
 */
export function sessionArguments(
  { args, resume, newSessionId }: InteractiveStart,
  names: SessionArguments,
): { args: string[]; id: string | null; isOwn: boolean } {
  const at = args.findIndex(arg => names.options.includes(arg.split('=', 1)[0]!))
  if (at !== -1) {
    const written = args[at]!
    const value = written.includes('=') ? written.slice(written.indexOf('=') + 1) : args[at + 1]
    return { args: [], id: value !== undefined && names.isId(value) ? value : null, isOwn: true }
  }
  if (args[0] !== undefined && names.subcommands.includes(args[0])) return { args: [], id: null, isOwn: true }
  if (resume !== null) return { args: names.resume(resume), id: resume, isOwn: false }
  return names.begin
    ? { args: names.begin(newSessionId), id: newSessionId, isOwn: false }
    : { args: [], id: null, isOwn: false }
}

/** How a program is started that takes its conversation on the command line and nothing else of ours. */
export function startedAs(names: SessionArguments): AgentAdapter['interactive'] {
  return (location, start) => {
    const session = sessionArguments(start, names)
    return {
      file: location.file,
      args: [...location.prefix, ...session.args, ...start.args],
      env: {},
      agentSessionId: session.id,
    }
  }
}

export function isUuid(word: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(word)
}
