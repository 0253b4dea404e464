import type { Setting } from './setting.js'
import { agentSettings } from './settings/agents.js'
import { approvalSettings } from './settings/approvals.js'
import { notificationSettings } from './settings/notifications.js'
import { paneSettings } from './settings/panes.js'
import { runSettings } from './settings/runs.js'
import { serverSettings } from './settings/server.js'
import { sessionSettings } from './settings/sessions.js'

/**
 * Every setting, nested as in the settings file. `*` stands for a name that the person chooses.
 *
 * The nesting lets the compiler tie `config.panes.poll_s` to its definition here: an editor finds
 * all readers of a setting, and a test finds a setting without readers.
 */
const SETTINGS = {
  ...sessionSettings,
  ...paneSettings,
  ...approvalSettings,
  ...notificationSettings,
  ...agentSettings,
  ...runSettings,
  ...serverSettings,
}

type Tree<T> = '*' extends keyof T
  ? { readonly [name: string]: Tree<T['*']> }
  : { readonly [K in keyof T]: T[K] extends Setting<infer V> ? V : Tree<T[K]> }

/**
 * The values of all settings: `config.terminal.size`, `config.agents.claude?.command`. The names
 * are those of the settings file.
 */
export type Config = Tree<typeof SETTINGS>

export type Unit = 'ms' | 's' | 'min' | 'h' | 'd'

/** A setting with its key, whole (`agents.*.command`) and split into names. */
export interface KnownSetting {
  readonly pattern: string
  readonly segments: readonly string[]
  readonly setting: Setting<unknown>
}

interface Section {
  readonly [name: string]: Section | Setting<unknown>
}

export const KNOWN_SETTINGS: readonly KnownSetting[] = settingsBelow([], SETTINGS)

function settingsBelow(path: readonly string[], section: Section): KnownSetting[] {
  return Object.entries(section).flatMap(([name, node]) => {
    const segments = [...path, name]
    return isSetting(node) ? [{ pattern: segments.join('.'), segments, setting: node }] : settingsBelow(segments, node)
  })
}

function isSetting(node: Section | Setting<unknown>): node is Setting<unknown> {
  return typeof node.about === 'string'
}

export function isDynamic(known: KnownSetting): boolean {
  return known.segments.includes('*')
}

export function findSetting(path: readonly string[]): KnownSetting | undefined {
  return KNOWN_SETTINGS.find(({ segments }) => segments.length === path.length && matches(segments, path))
}

/** Whether there are settings below this path, so that it may be a table. */
export function isSection(path: readonly string[]): boolean {
  return KNOWN_SETTINGS.some(({ segments }) => segments.length > path.length && matches(segments, path))
}

function matches(segments: readonly string[], path: readonly string[]): boolean {
  return path.every((name, index) => segments[index] === '*' || segments[index] === name)
}

/** The keys as this person could have written them: with their own names in the place of `*`. */
export function candidatesFor(path: readonly string[]): string[] {
  return KNOWN_SETTINGS.map(({ segments }) =>
    segments.map((segment, index) => (segment === '*' ? (path[index] ?? 'name') : segment)).join('.'),
  )
}

/** `SIGNALBOX_TERMINAL_SIZE`; a key with a chosen name has none. */
export function environmentNameOf(known: KnownSetting): string | undefined {
  return isDynamic(known) ? undefined : `SIGNALBOX_${known.pattern.replaceAll('.', '_').toUpperCase()}`
}

/** The unit of a duration, from the suffix of its key. */
export function unitOf(key: string): Unit {
  const suffix = /_(ms|s|min|h|days)$/.exec(key)?.[1]
  return suffix === 'days' ? 'd' : ((suffix as Unit | undefined) ?? 's')
}

export function parseSize(size: string): { cols: number; rows: number } {
  const [cols, rows] = size.split('x').map(Number) as [number, number]
  return { cols, rows }
}
