import { EXIT, SignalboxError } from '../../errors/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import type { InputOf } from '../specs/index.js'

interface Stats {
  panes: Record<string, number>
  counters: { name: string; labels: Record<string, string>; value: number }[]
}

export async function run(context: CommandContext, { args, options }: InputOf<'stats'>): Promise<number> {
  if (args.what !== undefined && args.what !== 'panes')
    throw new SignalboxError('E_INPUT', `unknown statistics "${args.what}"`, { next: 'signalbox stats panes' })
  const client = await DaemonClient.connect(context)
  const stats = await client.get<Stats & Record<string, unknown>>('/panes/stats')
  if (options.json) {
    context.json({ panes: stats.panes, counters: stats.counters })
    return EXIT.ok
  }
  const states = Object.entries(stats.panes)
  context.out(states.length === 0 ? 'No panes.' : states.map(([status, count]) => `${count} ${status}`).join(' · '))
  const names = [...new Set(stats.counters.map(({ name }) => name))].sort()
  for (const name of names) {
    context.out('')
    context.out(context.style('bold', name))
    const rows = stats.counters.filter(count => count.name === name).sort((a, b) => b.value - a.value)
    for (const { labels, value } of rows) {
      const shown = Number.isInteger(value) ? String(value) : value.toFixed(1)
      const text = Object.entries(labels)
        .map(([label, of]) => `${context.style('dim', label)} ${of}`)
        .join('  ')
      context.out(`  ${shown.padStart(9)}  ${text}`)
    }
  }
  return EXIT.ok
}
