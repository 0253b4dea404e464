import type { SignalboxError } from '../errors/index.js'

/** One line: what is wrong, where, and what to do next. The stack only for whoever asked for it. */
export function describeError(error: SignalboxError, options: { isDebug: boolean }): string {
  const { place, next } = error
  const at = place ? [place.file, place.line, place.column].filter(part => part !== undefined).join(':') : ''
  const where = at === '' || error.message.includes(at) ? '' : `${at}: `
  const line = `signalbox: ${where}${error.message}${next ? ` (${next})` : ''}`
  if (!options.isDebug) return line
  const cause = error.cause instanceof Error ? `\ncaused by ${error.cause.stack}` : ''
  return `${line}\n[${error.code}] ${error.stack}${cause}`
}
