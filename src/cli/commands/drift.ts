import { join } from 'node:path'
import { systemClock } from '../../clock/index.js'
import { resolveDirectories } from '../../config/directories/index.js'
import { EXIT } from '../../errors/index.js'
import { DriftFiles } from '../../supervision/drift/index.js'
import { formatAge, plural, truncate, visibleText } from '../../text/index.js'
import type { CommandContext } from '../context.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { options }: InputOf<'drift'>): Promise<number> {
  const { data } = resolveDirectories(context.env, context.env.HOME)
  const versions = new DriftFiles(data).list()
  if (options.json) {
    context.json(versions)
    return EXIT.ok
  }
  if (versions.length === 0) context.out('no drift: no agent with a pack has been watched yet')
  for (const { agent, version, anchored, structural, unknown, disagreements, lastAt, screens } of versions) {
    const all = anchored + structural + unknown
    const share = all === 0 ? 0 : (structural + unknown) / all
    const colour = share > 0.2 && all >= 50 ? 'red' : screens.length > 0 ? 'yellow' : 'green'
    const counts = `${plural(all, 'frame')}: ${anchored} by rules, ${structural} by structure, ${unknown} not recognised, ${disagreements} with another source against the screen`
    context.out(
      `${agent} ${version}  ${context.style(colour, `${Math.round(share * 100)} % not by rules`)}  ${context.style('dim', `${counts}; ${formatAge(systemClock.now() - lastAt)}`)}`,
    )
    for (const screen of screens)
      context.out(
        `    ${screen.hash}  ${screen.view.padEnd(16)} ${truncate(visibleText(screen.firstLine), 50)}  ${context.style('dim', screen.file)}`,
      )
  }
  if (versions.some(({ screens }) => screens.length > 0))
    context.out(
      context.style(
        'dim',
        `inspect a screen: signalbox explain --screen <(jq -r '.lines[]' FILE) --agent AGENT; files in ${join(data, 'drift')}`,
      ),
    )
  return EXIT.ok
}
