import { effect, type Signal, signal } from '@preact/signals'
import type { LineComment } from '../diff/comment-texts'

/** A preference that is saved in this browser. Never contains secrets or addresses. */
function saved<T>(name: string, initial: T): Signal<T> {
  const key = `signalbox.${name}`
  const value = signal<T>(read(key, initial))
  effect(() => {
    try {
      localStorage.setItem(key, JSON.stringify(value.value))
    } catch {
      // Storage is disabled in this browser: the preference lasts until the page is closed.
    }
  })
  return value
}

function read<T>(key: string, initial: T): T {
  try {
    const text = localStorage.getItem(key)
    return text === null ? initial : (JSON.parse(text) as T)
  } catch {
    return initial
  }
}

export const theme = saved<'system' | 'light' | 'dark'>('theme', 'system')
export const hasLetterKeys = saved('letter-keys', true)
export const terminalFontSize = saved('terminal-font-size', 13)
/** Notifications of this browser while the page is open; and its sound. */
export const isNotifying = saved('notify', false)
export const isSounding = saved('sound', false)
export const isScreenReader = saved('screen-reader', false)
export const wallColumns = saved('wall-columns', 3)
export const sessionView = saved<'list' | 'wall'>('session-view', 'list')
export const sessionGrouping = saved<'project' | 'state' | 'none'>('session-grouping', 'project')
export const sessionSorting = saved<'activity' | 'name' | 'started'>('session-sorting', 'activity')
export interface SessionTemplate {
  name: string
  agent: string
  cwd: string
  prompt: string
  label: string
  model: string
  mode: string
  args: string
  /** In USD; absent in templates that are older. */
  budget?: string
  worktree: boolean
}

export const sessionTemplates = saved<SessionTemplate[]>('session-templates', [])
/** The first steps that the person has skipped, or all of them. */
export const skippedSteps = saved<string[]>('skipped-steps', [])
export const isWelcomed = saved('welcomed', false)
/** Shows how Signalbox reads screens: sources, rules, raw events. */
export const isDeveloper = saved('developer', false)
/** Failed runs that the person has dismissed from *Needs you*. */
export const dismissedRuns = saved<string[]>('dismissed-runs', [])
export const savedRunFilters = saved<{ name: string; query: string }[]>('run-filters', [])
export const diffLayout = saved<'unified' | 'split'>('diff-layout', 'unified')
/** Changes of white space only are not shown. */
export const ignoresSpace = saved('diff-ignore-space', false)
/** Comments on lines that were not sent yet, by session or run. */
export const lineComments = saved<Readonly<Record<string, readonly LineComment[]>>>('line-comments', {})
/** The terminal is beside the conversation. */
export const isSplit = saved('show-terminal', false)
/** The conversation's part of that width in percent; null: as the terminal's text needs. */
export const talkShare = saved<number | null>('talk-share', null)

effect(() => {
  const root = document.documentElement
  if (theme.value === 'system') delete root.dataset.theme
  else root.dataset.theme = theme.value
})
