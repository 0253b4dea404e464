import { spawn } from 'node:child_process'
import { appliesAtOnce, editSettings, type SettingValue } from '../../config/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { type Home, openHome } from '../../host/home/index.js'
import { withProjectSettings } from '../../runs/index.js'
import { closestMatch } from '../../text/index.js'
import { executableProject, PROJECT_FILE } from '../../trust/index.js'
import { callingAgent } from '../approvals/local-person.js'
import type { CommandContext } from '../context.js'
import { unknownAction } from '../parse-options.js'
import { withStore } from '../runs/with-store.js'
import type { InputOf } from '../specs/index.js'

const ACTIONS = ['show', 'get', 'set', 'edit']

export async function run(context: CommandContext, { args, options }: InputOf<'config'>): Promise<number> {
  const { action = 'show', key, value } = args
  if (action === 'show') return show(context, key, options)
  if (action === 'edit') return edit(context)
  if (!ACTIONS.includes(action)) throw unknownAction(action, ACTIONS)
  if (key === undefined)
    throw new SignalboxError('E_INPUT', 'no setting was given', {
      next: `signalbox config ${action} <key>; signalbox config show lists them`,
    })
  if (action === 'get') return get(context, key, options)
  return set(context, key, value)
}

async function show(
  context: CommandContext,
  wanted: string | undefined,
  options: InputOf<'config'>['options'],
): Promise<number> {
  const { loaded } = await settingsHere(context)
  const entries = matching(loaded, wanted)
  if (options.json)
    context.json(
      Object.fromEntries(entries.map(({ key, value, origin }) => [key, options.origin ? { value, origin } : value])),
    )
  else
    for (const { key, shown, origin } of entries) {
      const from = options.origin
        ? context.style('dim', `  # ${origin.source}${origin.place ? ` ${origin.place}` : ''}`)
        : ''
      context.out(`${key} = ${shown}${from}`)
    }
  for (const note of loaded.notes) context.note(note)
  return EXIT.ok
}

/** The plain value, for scripts. */
async function get(context: CommandContext, key: string, { json }: InputOf<'config'>['options']): Promise<number> {
  const { loaded } = await settingsHere(context)
  const entry = matching(loaded, key).find(entry => entry.key === key)
  if (!entry)
    throw new SignalboxError('E_INPUT', `"${key}" is a table of settings`, { next: `signalbox config show ${key}` })
  if (json) context.json(entry.value)
  else context.out(typeof entry.value === 'string' ? entry.value : entry.shown)
  return EXIT.ok
}

/** Writes the user's settings file. Without a value, the default applies again. */
function set(context: CommandContext, key: string, text: string | undefined): number {
  refuseAgent(context)
  const { loaded, settings } = openHome(context)
  matching(loaded, key)
  const write = (value: SettingValue) =>
    editSettings(settings.settingsFile!, { [key]: value }, { version: null, isAtTerminal: true })
  const value = text === undefined ? null : parseValue(text)
  try {
    write(value)
  } catch (error) {
    // `config set terminal.size 120x40` is a string; so is a number where the setting wants text.
    if (typeof value === 'string' || value === null || !isWritten(() => write(text!))) throw error
  }
  context.out(`${key} = ${matching(openHome(context).loaded, key)[0]!.shown}`)
  if (!appliesAtOnce(key)) context.note('The daemon uses it after signalbox serve --restart; agents keep running.')
  return EXIT.ok
}

/** Returns false if the setting accepts no text either: then the first error is shown. */
function isWritten(write: () => void): boolean {
  try {
    write()
    return true
  } catch {
    return false
  }
}

async function edit(context: CommandContext): Promise<number> {
  refuseAgent(context)
  const { settings } = openHome(context)
  const words = (context.env.VISUAL || context.env.EDITOR || 'vi').split(' ').filter(Boolean)
  const editor = spawn(words[0]!, [...words.slice(1), settings.settingsFile!], { stdio: 'inherit', env: context.env })
  const code = await new Promise<number | null>((resolve, reject) => {
    editor.on('error', error =>
      reject(
        new SignalboxError('E_INPUT', `${words[0]} could not be started: ${error.message}`, {
          next: 'set EDITOR to your editor',
        }),
      ),
    )
    editor.on('close', resolve)
  })
  // Names every mistake with its line.
  openHome(context)
  return code === 0 ? EXIT.ok : EXIT.failed
}

function matching(loaded: Home['loaded'], wanted: string | undefined) {
  const all = loaded.entries()
  const entries = wanted ? all.filter(({ key }) => key === wanted || key.startsWith(`${wanted}.`)) : all
  if (entries.length > 0) return entries
  const keys = all.map(({ key }) => key)
  const close = closestMatch(wanted!, keys)
  throw new SignalboxError('E_INPUT', `unknown setting "${wanted}"${close ? `; did you mean "${close}"?` : ''}`, {
    next: 'signalbox config show lists them',
  })
}

function parseValue(text: string): SettingValue {
  try {
    return JSON.parse(text) as SettingValue
  } catch {
    return text
  }
}

function refuseAgent(context: CommandContext): void {
  const agent = callingAgent(context)
  if (agent === null) return
  throw new SignalboxError('E_ROLE', `an agent cannot change settings: this shell belongs to ${agent}`, {
    next: 'use a terminal of your own',
  })
}

/** With the settings of a trusted project. The store is opened only if the project has settings. */
async function settingsHere(context: CommandContext): Promise<Home> {
  const { env, cwd } = context
  const { files } = await executableProject(cwd)
  if (!Object.hasOwn(files, PROJECT_FILE)) return openHome(context)
  return withStore(context, (store, home) => withProjectSettings({ store, home, env, cwd }))
}
