/*
 * Shell integration (OSC 133 of FinalTerm, OSC 633 of VS Code): the shell marks where a prompt begins (A), where typing
 * begins (B), where a command starts (C) and how it ended (D). Real shells send these marks more often, less often and in
 * other orders than the protocol says, so the rules below are from recordings:
 *
 *   C twice                    the first counts
 *   D without C                nothing happened: Ctrl-C at an empty prompt, or the stale D that some shells print at every prompt
 *   D with junk, or without a number   the command ended, how is unknown
 *   A again                    a redrawn prompt
 *   A without D after C        the shell does not send D: the command ended, how is unknown
 *   C without D at the end     the same
 *   133 and 633 both           only 633 counts: VS Code's script runs beside an older one
 *   633;E without our nonce    a program could have printed it: not believed as a command line
 *
 * Whether the marks are a shell's at all is for the caller to know: some agents mark their own messages with 133.
 */

export type ShellMark =
  | { protocol: 133 | 633; mark: 'A' | 'B' | 'C' }
  | { protocol: 133 | 633; mark: 'D'; exit: number | null }
  | { protocol: 633; mark: 'E'; commandLine: string; nonce: string | null }
  | { protocol: 633; mark: 'P'; key: string; value: string }

export type ShellSignal =
  | { name: 'prompt' }
  | { name: 'command-start'; commandLine: string | null }
  | { name: 'command-end'; exit: number | null }

export interface ShellState {
  protocol: 133 | 633 | null
  phase: 'unknown' | 'prompt' | 'running'
  /** A believed command line that waits for its C. */
  commandLine: string | null
}

export const INITIAL_SHELL_STATE: ShellState = { protocol: null, phase: 'unknown', commandLine: null }

type Reduction = { state: ShellState; signals: ShellSignal[] }

/** `nonce`: what we gave the shell's script at start; null when we gave none, then no command line is believed. */
export function reduceShellMark(state: ShellState, mark: ShellMark, nonce: string | null): Reduction {
  if (state.protocol === 633 && mark.protocol === 133) return { state, signals: [] }
  const known = { ...state, protocol: mark.protocol }
  switch (mark.mark) {
    case 'A':
      if (known.phase === 'prompt') return { state: known, signals: [] }
      return {
        state: { ...known, phase: 'prompt', commandLine: null },
        signals: [...endUnknown(known), { name: 'prompt' }],
      }
    case 'C': {
      if (known.phase === 'running') return { state: known, signals: [] }
      const { commandLine } = known
      return {
        state: { ...known, phase: 'running', commandLine: null },
        signals: [{ name: 'command-start', commandLine }],
      }
    }
    case 'D':
      if (known.phase !== 'running') return { state: known, signals: [] }
      return { state: { ...known, phase: 'unknown' }, signals: [{ name: 'command-end', exit: mark.exit }] }
    case 'E': {
      const isBelieved = nonce !== null && mark.nonce === nonce && known.phase !== 'running'
      return { state: isBelieved ? { ...known, commandLine: mark.commandLine } : known, signals: [] }
    }
    case 'B':
    case 'P':
      return { state: known, signals: [] }
  }
}

/** The shell's process ended. */
export function endShell(state: ShellState): Reduction {
  return { state: INITIAL_SHELL_STATE, signals: endUnknown(state) }
}

function endUnknown(state: ShellState): ShellSignal[] {
  return state.phase === 'running' ? [{ name: 'command-end', exit: null }] : []
}

/** The mark in an OSC payload, or null if it is none we use. */
export function parseShellMark(protocol: 133 | 633, payload: string): ShellMark | null {
  const [mark, ...fields] = payload.split(';')
  switch (mark) {
    case 'A':
    case 'B':
    case 'C':
      return { protocol, mark }
    case 'D':
      return { protocol, mark, exit: parseExit(fields[0]) }
    case 'E':
      if (protocol !== 633) return null
      return { protocol, mark, commandLine: unescape633(fields[0] ?? ''), nonce: fields[1] ?? null }
    case 'P': {
      const split = fields.join(';')
      const equals = split.indexOf('=')
      if (protocol !== 633 || equals < 0) return null
      return { protocol, mark, key: split.slice(0, equals), value: unescape633(split.slice(equals + 1)) }
    }
    default:
      return null
  }
}

function parseExit(field: string | undefined): number | null {
  return field !== undefined && /^-?\d{1,10}$/.test(field) ? Number(field) : null
}

/** VS Code escapes `\`, `;` and control characters as `\\` and `\xHH`. */
function unescape633(text: string): string {
  return text.replace(/\\(\\|x([0-9a-fA-F]{2}))/g, (_, whole: string, code: string | undefined) =>
    code === undefined ? whole : String.fromCharCode(Number.parseInt(code, 16)),
  )
}
