import { EXIT, SignalboxError } from '../../errors/index.js'
import type { Pane, PaneSwitches } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import type { CommandInput } from '../specs/command-spec.js'

/** Switches that one pane has for itself, as the actions that turn them. */
const OF_PANE: Readonly<Record<string, { on: string; off: string }>> = {
  heuristics: { on: 'heuristics-auto', off: 'heuristics-off' },
  notify: { on: 'notify-on', off: 'notify-off' },
}

export async function run(context: CommandContext, { args, options }: CommandInput): Promise<number> {
  const name = args.name === undefined ? null : String(args.name)
  const to = args.to === undefined ? null : String(args.to)
  if (name !== null && to !== 'on' && to !== 'off')
    throw new SignalboxError('E_INPUT', to === null ? `on or off?` : `"${to}" is neither on nor off`, {
      next: `signalbox switch ${name} off`,
    })
  const client = await DaemonClient.connect(context)
  if (typeof options.pane === 'string') return turnPane(context, client, options.pane, { name, isOn: to === 'on' })
  const { items } =
    name === null
      ? await client.get<PaneSwitches>('/panes/switches')
      : await client.post<PaneSwitches>('/panes/switches', { switch: name, isOn: to === 'on' })
  if (options.json === true) context.json({ items })
  else for (const { switch: word, isOn } of items) context.out(`${word.padEnd(12)} ${isOn ? 'on' : 'off'}`)
  return EXIT.ok
}

async function turnPane(
  context: CommandContext,
  client: DaemonClient,
  word: string,
  { name, isOn }: { name: string | null; isOn: boolean },
): Promise<number> {
  const actions = name === null ? undefined : OF_PANE[name]
  if (!actions)
    throw new SignalboxError('E_INPUT', `${name === null ? 'which switch' : `"${name}"`} of this pane?`, {
      next: 'a pane has heuristics and notify of its own',
    })
  const pane = await client.post<Pane>(`/panes/${encodeURIComponent(word)}/act`, {
    action: isOn ? actions.on : actions.off,
  })
  context.out(`${pane.place}: ${name} ${isOn ? 'on' : 'off'}`)
  return EXIT.ok
}
