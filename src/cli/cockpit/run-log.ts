import type { LogLine, RunLog, RunNodes } from '../../server/index.js'
import type { DaemonClient } from '../daemon-client.js'
import type { Mode } from './view.js'

/** The newest lines; `signalbox logs` has all of them. */
const LINES_MAX = 500

/** The log of a run as a page, at its end. */
export async function runLog(client: DaemonClient, { run, title }: { run: string; title: string }): Promise<Mode> {
  const [log, nodes] = await Promise.all([
    client.get<RunLog>(`/runs/${run}/log?last=${LINES_MAX}`),
    client.get<RunNodes>(`/runs/${run}/nodes`),
  ])
  const names = new Map(nodes.items.map(({ node, label }) => [node, label]))
  const lines = [title, '', ...logText(log.items, names)]
  return { kind: 'page', lines, top: Number.MAX_SAFE_INTEGER }
}

type Said = Pick<LogLine, 'node' | 'source' | 'level' | 'text'>

/** What agents said and commands printed, under the names of their steps, and what went wrong. */
export function logText(lines: readonly Said[], names: ReadonlyMap<string, string>): string[] {
  const shown: string[] = []
  let step: string | null = null
  let last = ''
  for (const { node, source, level, text } of lines) {
    if (text.trim() === '' || (source !== 'agent' && level === 'info')) continue
    // The result of an agent's step repeats what the agent said last.
    const entry = `${node} ${text.trim()}`
    if (entry === last) continue
    last = entry
    const name = node === null ? null : (names.get(node.split(':')[0]!) ?? node)
    if (name !== null && name !== step) shown.push(`▸ ${name}`)
    step = name ?? step
    const rows = text.trimEnd().split('\n')
    shown.push(...rows.map(row => `  ${level === 'error' ? '✗ ' : ''}${row}`))
  }
  return shown.length > 0 ? shown : ['Nothing was logged yet.']
}
