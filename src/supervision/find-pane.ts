import { matchingIds } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import type { ForeignCall } from '../reports/index.js'
import type { PaneInfo } from './pane-info.js'
import type { TmuxPane } from './tmux-pane.js'

/** Finds a pane by id, a unique prefix of it, a session's number, or its target in tmux. */
export function paneByWord(all: readonly PaneInfo[], word: string): PaneInfo {
  const exact = all.find(pane => pane.id === word || pane.place === word || pane.tmuxPane === word)
  if (exact) return exact
  const matches = [...matchingIds('ses', all, word), ...matchingIds('pan', all, word)]
  if (matches.length === 1) return matches[0]!
  if (matches.length > 1)
    throw new SignalboxError('E_ID_AMBIGUOUS', `"${word}" matches ${matches.length} panes`, {
      next: 'give more of the id',
    })
  throw new SignalboxError('E_UNKNOWN', `unknown pane "${word}"`, { next: 'signalbox watch lists the panes' })
}

/** A hook call's tmux pane: by its id, its terminal, or the agent's only one here. */
export function paneOfCall(
  all: readonly TmuxPane[],
  { agent, tmuxPane, socket, tty, cwd }: ForeignCall,
): TmuxPane | null {
  if (tmuxPane !== null) {
    const named = all.filter(pane => pane.info.pane === tmuxPane && (socket === null || pane.socket === socket))
    return named.length === 1 ? named[0]! : null
  }
  const onTerminal = tty === null ? undefined : all.find(pane => pane.info.tty === tty)
  if (onTerminal) return onTerminal
  const here = all.filter(pane => pane.agent === agent && cwd !== null && pane.info.cwd === cwd)
  return here.length === 1 ? here[0]! : null
}
