import { EXIT, SignalboxError } from '../../errors/index.js'
import { nearest } from '../../text/index.js'
import type { CommandInput } from '../command-spec.js'
import type { CommandContext } from '../context.js'
import { openHome } from '../home.js'

export async function run(context: CommandContext, { args, options }: CommandInput): Promise<number> {
  const action = (args.action as string | undefined) ?? 'show'
  if (action !== 'show')
    throw new SignalboxError('E_INPUT', `config cannot "${action}"`, { next: 'signalbox config show' })
  const { loaded } = openHome(context)
  const wanted = args.key as string | undefined
  const all = loaded.entries()
  const entries = wanted ? all.filter(({ key }) => key === wanted || key.startsWith(`${wanted}.`)) : all
  if (entries.length === 0) {
    const close = nearest(
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
