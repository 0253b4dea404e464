import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { UserHooks } from '../../agents/index.js'
import { SignalboxError } from '../../errors/index.js'

/*
 * Hooks in a person's own settings file. What must hold: nothing but entries of ours is added or taken away; taking them away gives back
 * the very bytes that were there before, if nobody has changed the file since; a file that cannot be understood is not touched.
 */
const MARK = '# signalbox'

type Json = Record<string, unknown>

export interface HookChange {
  file: string
  before: string
  after: string
  /** How many of our events are in the file now. */
  installed: number
  wanted: number
}

/** The command of one event. Inside a session of ours the session's own hooks report already. */
export function userHookLine(agent: string, event: string, relay: readonly string[]): string {
  const words = relay.map(word => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
  return `test -n "$SIGNALBOX_SESSION" || ${words} hook ${agent} ${event} ${MARK}`
}

/** What the file is now and what it would be with (or without) our hooks. Writes nothing. */
export function planHooks(
  agent: string,
  hooks: UserHooks,
  options: { env: NodeJS.ProcessEnv; relay: readonly string[]; wish: 'install' | 'remove'; backupDirectory: string },
): HookChange {
  const { env, relay, wish, backupDirectory } = options
  const file = hooks.file(env)
  const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const settings = parse(before, file)
  const entries = hooks.entries(event => userHookLine(agent, event, relay))
  const cleaned = withoutOurs(settings, file)
  const installed = countOurs(settings)
  const next = wish === 'install' ? withOurs(cleaned, entries) : cleaned
  const backup = readBackup(backupDirectory, agent)
  // Nobody has changed anything since: the bytes of then, not our way of writing them.
  const isAsThen = wish === 'remove' && backup !== null && sameJson(parseOrNull(backup), next)
  const isUnchanged = sameJson(next, settings)
  const after = isUnchanged
    ? before
    : isAsThen
      ? backup!
      : Object.keys(next).length === 0 && before === ''
        ? ''
        : print(next, before)
  return { file, before, after, installed, wanted: Object.keys(entries).length }
}

/** Writes what was planned, in one step; the file keeps its mode, a link stays a link. */
export function applyHooks(
  change: HookChange,
  options: { agent: string; wish: 'install' | 'remove'; backupDirectory: string },
): void {
  const { file, before, after } = change
  const current = existsSync(file) ? readFileSync(file, 'utf8') : ''
  if (current !== before)
    throw new SignalboxError('E_BUSY', `${file} was changed meanwhile; nothing was written`, {
      next: 'run the command again',
    })
  const backup = backupFile(options.backupDirectory, options.agent)
  mkdirSync(options.backupDirectory, { recursive: true, mode: 0o700 })
  if (options.wish === 'install' && change.installed === 0) writeFileSync(backup, before, { mode: 0o600 })
  if (after === '' && existsSync(file)) rmSync(file)
  else if (after !== before) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const real = existsSync(file) ? realpathSync(file) : file
    const mode = existsSync(real) ? statSync(real).mode & 0o777 : 0o600
    const temporary = `${real}.signalbox-${process.pid}`
    writeFileSync(temporary, after, { mode })
    renameSync(temporary, real)
  }
  if (options.wish === 'remove') rmSync(backup, { force: true })
}

/** Lines that differ, as a person reads a change: what goes, what comes, with a little around it. */
export function changeLines(before: string, after: string): { sign: ' ' | '-' | '+'; text: string }[] {
  const old = before === '' ? [] : before.replace(/\n$/, '').split('\n')
  const now = after === '' ? [] : after.replace(/\n$/, '').split('\n')
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start++
  let end = 0
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++
  const context = 2
  return [
    ...old.slice(Math.max(0, start - context), start).map(text => ({ sign: ' ' as const, text })),
    ...old.slice(start, old.length - end).map(text => ({ sign: '-' as const, text })),
    ...now.slice(start, now.length - end).map(text => ({ sign: '+' as const, text })),
    ...now.slice(now.length - end, now.length - end + context).map(text => ({ sign: ' ' as const, text })),
  ]
}

function parse(text: string, file: string): Json {
  if (text.trim() === '') return {}
  const value = parseOrNull(text)
  if (value === null)
    throw new SignalboxError('E_CONFIG', `${file} is not plain JSON; it was left as it is`, {
      next: 'remove comments or mend it, then run the command again',
    })
  return value
}

function parseOrNull(text: string): Json | null {
  try {
    const value: unknown = text.trim() === '' ? {} : JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

function withoutOurs(settings: Json, file: string): Json {
  const { hooks } = settings
  if (hooks === undefined) return settings
  if (!isObject(hooks))
    throw new SignalboxError('E_CONFIG', `"hooks" in ${file} is no table; the file was left as it is`)
  const left = Object.entries(hooks).flatMap(([event, list]) => {
    if (!Array.isArray(list)) return [[event, list] as const]
    const others = list.filter(entry => !isOurs(entry))
    // A list that only held ours goes with them; an empty one that was there before stays.
    return others.length === 0 && list.length > 0 ? [] : [[event, others] as const]
  })
  const { hooks: _all, ...rest } = settings
  return left.length === 0 && countOurs(settings) > 0 ? rest : { ...settings, hooks: Object.fromEntries(left) }
}

function withOurs(settings: Json, entries: Readonly<Record<string, object>>): Json {
  const hooks: Json = { ...(isObject(settings.hooks) ? settings.hooks : {}) }
  for (const [event, entry] of Object.entries(entries)) {
    const list = hooks[event]
    hooks[event] = [...(Array.isArray(list) ? list : []), entry]
  }
  return { ...settings, hooks }
}

function countOurs({ hooks }: Json): number {
  if (!isObject(hooks)) return 0
  return Object.values(hooks).filter(list => Array.isArray(list) && list.some(isOurs)).length
}

/** Ours by its mark, and by nothing else in it. */
function isOurs(entry: unknown): boolean {
  if (!isObject(entry) || !Array.isArray(entry.hooks) || entry.hooks.length === 0) return false
  return entry.hooks.every(hook => isObject(hook) && typeof hook.command === 'string' && hook.command.endsWith(MARK))
}

/** In the file's own indentation and with its own last line. */
function print(value: Json, like: string): string {
  const indent = /^\{\s*\n([ \t]+)/.exec(like)?.[1] ?? '  '
  return `${JSON.stringify(value, null, indent)}${like === '' || like.endsWith('\n') ? '\n' : ''}`
}

function backupFile(directory: string, agent: string): string {
  return join(directory, `${agent}.before`)
}

function readBackup(directory: string, agent: string): string | null {
  try {
    return readFileSync(backupFile(directory, agent), 'utf8')
  } catch {
    return null
  }
}

function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
