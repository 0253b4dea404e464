import {
  type AgentSources,
  type DoctorFinding,
  examine,
  examineSecrets,
  examineSecurity,
  examineSources,
  SOURCES,
} from '../../doctor/index.js'
import { EXIT } from '../../errors/index.js'
import type { Health, InMilliseconds } from '../../server/index.js'
import type { WorkerComparison } from '../../workers/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { wrapText } from '../help.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { options }: InputOf<'doctor'>): Promise<number> {
  if (options.sources) return showSources(context, options.json === true)
  const { env, cwd } = context
  const findings = options.security
    ? await examineSecurity({ env, cwd })
    : options.secrets
      ? await examineSecrets({ env, cwd })
      : await examine(
          { env, cwd, daemon: () => daemonInfo(context), workers: () => comparisons(context) },
          { fix: options.fix === true },
        )
  if (options.json) context.json(findings)
  else
    for (const { check, level, message, next } of mergeMissingAgents(findings)) {
      const mark = {
        ok: context.style('green', '✓'),
        note: context.style('blue', '·'),
        warning: context.style('yellow', '!'),
        error: context.style('red', '✗'),
      }[level]
      const head = `${mark} ${check.padEnd(12)} `
      if (!context.isOutputTty) {
        context.out(`${head}${message}${next ? `  → ${next}` : ''}`)
        continue
      }
      const width = Math.max(30, context.columns - INDENT)
      const below = (line: string) => context.out(' '.repeat(INDENT) + line)
      const [first = '', ...rest] = wrapText(message, width)
      context.out(`${head}${first}`)
      rest.forEach(below)
      if (next) for (const line of wrapText(`→ ${next}`, width)) below(context.style('dim', line))
    }
  return findings.some(finding => finding.level === 'error') ? EXIT.failed : EXIT.ok
}

/** Columns before the text of a finding. */
const INDENT = 15

/** The agents that are not installed as one line; `--json` has each of them. */
function mergeMissingAgents(findings: readonly DoctorFinding[]): DoctorFinding[] {
  const isAbsent = ({ level, agent }: DoctorFinding) => level === 'note' && agent?.file === null
  const absent = findings.filter(isAbsent)
  if (absent.length < 2) return [...findings]
  const message = `not installed: ${absent.map(({ check }) => check).join(', ')}`
  return [
    ...findings.filter(finding => !isAbsent(finding)),
    { check: 'agents', level: 'note', message, next: 'signalbox start <agent> says how to install it' },
  ]
}

const SOURCE_MARKS = { used: '✓', 'on request': '○', off: 'off', offered: '–', none: '·' } as const

/** One row for each agent, one column for each source. */
async function showSources(context: CommandContext, isJson: boolean): Promise<number> {
  const agents = await examineSources({ env: context.env })
  if (isJson) {
    context.json(agents)
    return EXIT.ok
  }
  const width = Math.max(...agents.map(({ agent }) => agent.length))
  const row = (first: string, cells: readonly string[]) =>
    [first.padEnd(width), ...cells.map((cell, index) => cell.padEnd(SOURCES[index]!.length))].join('  ').trimEnd()
  context.out(row('', SOURCES))
  for (const { agent, sources } of agents)
    context.out(
      row(
        agent,
        SOURCES.map(source => markOf(sources, source)),
      ),
    )
  context.out(
    context.style(
      'dim',
      '✓ used in every session   ○ instead of a terminal: start --acp, runs   – offered, not used   off: by your settings',
    ),
  )
  return EXIT.ok
}

function markOf(sources: AgentSources['sources'], source: (typeof SOURCES)[number]): string {
  return SOURCE_MARKS[sources[source]]
}

async function comparisons(context: CommandContext): Promise<WorkerComparison[] | null> {
  const client = await DaemonClient.running(context)
  return client === null ? null : (await client.get<{ items: WorkerComparison[] }>('/workers/compare')).items
}

async function daemonInfo(context: CommandContext): Promise<InMilliseconds<Health> | null> {
  const client = await DaemonClient.running(context)
  return client === null ? null : client.get<Health>('/health')
}
