import { EXIT, SignalboxError } from '../../errors/index.js'
import type { Pane } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import type { InputOf } from '../specs/index.js'

interface Switches {
  items: { switch: string; isOn: boolean }[]
}

/** The switches of a single pane, as the actions that turn them. */
const PANE_SWITCHES: Readonly<Record<string, { on: string; off: string }>> = {
  heuristics: { on: 'heuristics-auto', off: 'heuristics-off' },
  notify: { on: 'notify-on', off: 'notify-off' },
}

export async function run(context: CommandContext, { args, options }: InputOf<'switch'>): Promise<number> {
  const { name, to } = args
  if (name !== undefined && to !== 'on' && to !== 'off')
    throw new SignalboxError('E_INPUT', to === undefined ? 'on or off is missing' : `"${to}" is neither on nor off`, {
      next: `signalbox switch ${name} off`,
    })
  const isOn = to === 'on'
  const client = await DaemonClient.connect(context)
  if (options.pane !== undefined) return turnPane(context, client, options.pane, { name, isOn })
  const { items } =
    name === undefined
      ? await client.get<Switches & Record<string, unknown>>('/panes/switches')
      : await client.post<Switches & Record<string, unknown>>('/panes/switches', { switch: name, isOn })
  if (options.json) context.json({ items })
  else for (const { switch: word, isOn: isSet } of items) context.out(`${word.padEnd(12)} ${isSet ? 'on' : 'off'}`)
  return EXIT.ok
}

async function turnPane(
  context: CommandContext,
  client: DaemonClient,
  word: string,
  { name, isOn }: { name: string | undefined; isOn: boolean },
): Promise<number> {
  const actions = name === undefined ? undefined : PANE_SWITCHES[name]
  if (!actions)
    throw new SignalboxError('E_INPUT', name === undefined ? 'name a switch' : `a pane has no switch "${name}"`, {
      next: 'a pane has heuristics and notify',
    })
  const pane = await client.post<Pane>(`/panes/${encodeURIComponent(word)}/act`, {
    action: isOn ? actions.on : actions.off,
  })
  context.out(`${pane.place}: ${name} ${isOn ? 'on' : 'off'}`)
  return EXIT.ok
}
