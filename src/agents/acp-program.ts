import type { AcpCommand, AcpStart } from './adapter.js'
import { locateProgram } from './locate-program.js'

/** A separate program that speaks the Agent Client Protocol for an agent; null if it is missing. */
export function acpProgram(names: readonly string[], { args, env, cwd }: AcpStart): AcpCommand | null {
  const location = locateProgram(names, { env, cwd, configuredCommand: null })
  return location.found ? { file: location.file, args: [...location.prefix, ...args] } : null
}
