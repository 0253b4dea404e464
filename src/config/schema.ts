import type { Setting } from './setting.js'
import { liveSettings } from './settings-live.js'
import { paneSettings } from './settings-panes.js'
import { peopleSettings } from './settings-people.js'
import { workSettings } from './settings-work.js'

/** Every setting there is, by its key. `*` in a key stands for a name that the person chooses. */
export const SETTINGS = { ...liveSettings, ...paneSettings, ...peopleSettings, ...workSettings }

export type SettingKey = keyof typeof SETTINGS

type ValueOf<S> = S extends Setting<infer T> ? T : never
type Head<K extends string> = K extends `${infer H}.${string}` ? H : K
type Below<T, H extends string> = {
  [K in keyof T & string as K extends `${H}.${infer Rest}` ? Rest : never]: T[K]
}
type Tree<T> =
  '*' extends Head<keyof T & string>
    ? { readonly [name: string]: Tree<Below<T, '*'>> }
    : { readonly [H in Head<keyof T & string>]: H extends keyof T ? ValueOf<T[H]> : Tree<Below<T, H>> }

/** The settings as an object: `config.terminal.quiet_ms`, `config.agents.claude?.command`. The names are those of the file. */
export type Config = Tree<typeof SETTINGS>

export type Unit = 'ms' | 's' | 'min' | 'h' | 'd'

/** A key with its setting, and the names that the person put in the place of `*`. */
export interface KnownSetting {
  readonly pattern: SettingKey
  readonly segments: readonly string[]
  readonly setting: Setting<unknown>
}

export const KNOWN_SETTINGS: readonly KnownSetting[] = (
  Object.entries(SETTINGS) as [SettingKey, Setting<unknown>][]
).map(([pattern, setting]) => ({ pattern, setting, segments: pattern.split('.') }))

export function isDynamic(known: KnownSetting): boolean {
  return known.segments.includes('*')
}

/** The setting at this path, if there is one. */
export function findSetting(path: readonly string[]): KnownSetting | undefined {
  return KNOWN_SETTINGS.find(({ segments }) => segments.length === path.length && matches(segments, path))
}

/** Whether settings lie below this path, so that a table may stand there. */
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

/** `SIGNALBOX_TERMINAL_QUIET_MS`; a key with a chosen name has none. */
export function environmentNameOf(known: KnownSetting): string | undefined {
  return isDynamic(known) ? undefined : `SIGNALBOX_${known.pattern.replaceAll('.', '_').toUpperCase()}`
}

/** The unit of a duration, told by the end of its key. */
export function unitOf(key: string): Unit {
  const suffix = /_(ms|s|min|h|days)$/.exec(key)?.[1]
  return suffix === 'days' ? 'd' : ((suffix as Unit | undefined) ?? 's')
}

/** Columns and rows of `terminal.size`. */
export function parseSize(size: string): { cols: number; rows: number } {
  const [cols, rows] = size.split('x').map(Number) as [number, number]
  return { cols, rows }
}
