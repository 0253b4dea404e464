import type { PaneInfo } from '../../supervision/index.js'
import { listHeight, type WatchView } from './watch-screen.js'

/** What a key does beyond moving in the list. */
export type WatchCommand =
  | { do: 'leave' }
  | { do: 'go' | 'seen' | 'clear' | 'why' | 'heuristics' | 'mute'; pane: PaneInfo }
  | { do: 'seen-all' }

/** The keys of one chunk of input; a paste is many keys. */
export function keysOf(chunk: string): string[] {
  return chunk.match(/\u001b\[[\d;]*[A-Za-z~]|\u001bO[A-Za-z]|\u001b|[\s\S]/gu) ?? []
}

const UP = new Set(['k', '\u001b[A', '\u001bOA'])
const DOWN = new Set(['j', '\u001b[B', '\u001bOB'])

/** The view after a key, and the command that the key means. Pure. */
export function pressKey(
  view: WatchView,
  key: string,
  shown: readonly PaneInfo[],
  rows: number,
): { view: WatchView; command: WatchCommand | null } {
  const only = (next: Partial<WatchView>) => ({ view: { ...view, notice: '', ...next }, command: null })
  if (key === '\u0003') return { view, command: { do: 'leave' } }
  if (view.isTypingFilter) return only(typeFilter(view, key))
  if (view.overlay !== 'none') return only({ overlay: 'none' })
  const at = shown.findIndex(pane => pane.id === view.selected)
  const to = (index: number) => only({ selected: shown[Math.max(0, Math.min(shown.length - 1, index))]?.id ?? null })
  if (UP.has(key)) return to(at - 1)
  if (DOWN.has(key)) return to(at + 1)
  switch (key) {
    case 'g':
      return to(0)
    case 'G':
      return to(shown.length - 1)
    case '\u001b[5~':
      return to(at - listHeight(rows))
    case '\u001b[6~':
      return to(at + listHeight(rows))
    case '/':
      return only({ isTypingFilter: true })
    case '\u001b':
      return only({ filter: '' })
    case 'a':
      return only({ showsAll: !view.showsAll })
    case '?':
      return only({ overlay: 'help' })
    case 'q':
      return { view, command: { do: 'leave' } }
    case 'S':
      return { view, command: { do: 'seen-all' } }
  }
  const pane = shown[at]
  const action = pane ? PANE_KEYS[key] : undefined
  return action ? { view: { ...view, notice: '' }, command: { do: action, pane: pane! } } : only({})
}

const PANE_KEYS: Readonly<Record<string, Exclude<WatchCommand['do'], 'leave' | 'seen-all'>>> = {
  '\r': 'go',
  '\n': 'go',
  ' ': 'seen',
  x: 'clear',
  w: 'why',
  h: 'heuristics',
  m: 'mute',
}

function typeFilter({ filter }: WatchView, key: string): Partial<WatchView> {
  if (key === '\r' || key === '\n') return { isTypingFilter: false }
  if (key === '\u001b') return { isTypingFilter: false, filter: '' }
  if (key === '\u007f' || key === '\b') return { filter: [...filter].slice(0, -1).join('') }
  return key >= ' ' && !key.startsWith('\u001b') ? { filter: filter + key } : {}
}
