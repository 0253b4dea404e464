import type { AgentAdapter, InteractiveStart } from './adapter.js'

/** How a program's command line selects a conversation. */
export interface SessionArguments {
  /**
   * Arguments that start a conversation with our id, or null if the program chooses its own ids.
   */
  begin: ((id: string) => string[]) | null
  resume(id: string): string[]
  /** Options with which a person selects a conversation. */
  options: readonly string[]
  /** Subcommands: their arguments are unknown here, so nothing is added to them. */
  subcommands: readonly string[]
  isId(word: string): boolean
}

/** The arguments that select the conversation; nothing if the person selected one. */
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

/** A program that takes its conversation on the command line and needs nothing else. */
export function interactiveBySession(names: SessionArguments): AgentAdapter['interactive'] {
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
