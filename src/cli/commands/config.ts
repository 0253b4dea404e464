import { EXIT, SignalboxError } from '../../errors/index.js'
import { type Home, openHome } from '../../host/home/index.js'
import { withProjectSettings } from '../../runs/index.js'
import { closestMatch } from '../../text/index.js'
import { executableProject, PROJECT_FILE } from '../../trust/index.js'
import type { CommandContext } from '../context.js'
import { unknownAction } from '../parse-options.js'
import { withStore } from '../runs/with-store.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { args, options }: InputOf<'config'>): Promise<number> {
  const { action = 'show', key: wanted } = args
  if (action !== 'show') throw unknownAction(action, ['signalbox config show'])
  const { loaded } = await settingsHere(context)
  const all = loaded.entries()
  const entries = wanted ? all.filter(({ key }) => key === wanted || key.startsWith(`${wanted}.`)) : all
  if (entries.length === 0) {
    const keys = all.map(({ key }) => key)
    const close = closestMatch(wanted!, keys)
    throw new SignalboxError('E_INPUT', `unknown setting "${wanted}"${close ? `; did you mean "${close}"?` : ''}`)
  }
  if (options.json)
    context.json(
      Object.fromEntries(
        entries.map(({ key, shown, origin }) => [key, options.origin ? { value: shown, origin } : shown]),
      ),
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

/** With the settings of a trusted project. The store is opened only if the project has settings. */
async function settingsHere(context: CommandContext): Promise<Home> {
  const { env, cwd } = context
  const { files } = await executableProject(cwd)
  if (!Object.hasOwn(files, PROJECT_FILE)) return openHome(context)
  return withStore(context, (store, home) => withProjectSettings({ store, home, env, cwd }))
}
