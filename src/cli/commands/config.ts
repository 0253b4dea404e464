import { EXIT, SignalboxError } from '../../errors/index.js'
import { executableProject, PROJECT_FILE } from '../../host/index.js'
import { closestMatch } from '../../text/index.js'
import type { CommandInput } from '../command-spec.js'
import type { CommandContext } from '../context.js'
import { type Home, openHome } from '../home.js'
import { withProjectSettings } from '../project-settings.js'
import { withStore } from '../runs/open-runs.js'

export async function run(context: CommandContext, { args, options }: CommandInput): Promise<number> {
  const action = (args.action as string | undefined) ?? 'show'
  if (action !== 'show')
    throw new SignalboxError('E_INPUT', `config cannot "${action}"`, { next: 'signalbox config show' })
  const { loaded } = await settingsHere(context)
  const wanted = args.key as string | undefined
  const all = loaded.entries()
  const entries = wanted ? all.filter(({ key }) => key === wanted || key.startsWith(`${wanted}.`)) : all
  if (entries.length === 0) {
    const close = closestMatch(
      wanted!,
      all.map(({ key }) => key),
    )
    throw new SignalboxError('E_INPUT', `there is no setting "${wanted}"${close ? `; did you mean "${close}"?` : ''}`)
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

/** With what the project says, where it is trusted. The store, where trust is kept, is only opened when there is a project to ask about. */
async function settingsHere(context: CommandContext): Promise<Home> {
  const { files } = await executableProject(context.cwd)
  if (!Object.hasOwn(files, PROJECT_FILE)) return openHome(context)
  return withStore(context, (store, home) => withProjectSettings(context, store, home))
}
