import { type AgentAdapter, agentNames, loadAgent, loadPack } from '../agents/index.js'
import { resolveDirectories } from '../config/directories/index.js'
import { type LoadedConfig, loadConfig } from '../config/index.js'
import type { Pack } from '../screen/index.js'

/** The ways in which an agent may say what it does, from the most to the least reliable. */
export const SOURCES = [
  'server API',
  'hooks',
  'transcript',
  'OSC 7501',
  'OSC 133',
  'OSC 9;4',
  'title',
  'screen',
  'ACP',
  'JSON stream',
] as const

type SourceName = (typeof SOURCES)[number]

/**
 * `used`: in every session, without a change of the person's settings. `on request`: instead of a
 * terminal, with `start --acp` or in runs. `off`: switched off in the settings. `offered`: by the
 * agent, and its pack does not read it. `none`: the agent does not offer it.
 */
type SourceUse = 'used' | 'on request' | 'off' | 'offered' | 'none'

export interface AgentSources {
  agent: string
  title: string
  sources: Record<SourceName, SourceUse>
}

/** Which sources every agent offers in the versions that its pack was tested with. */
export async function examineSources({ env }: { env: NodeJS.ProcessEnv }): Promise<AgentSources[]> {
  const loaded = settingsOf(env)
  return Promise.all(
    agentNames().map(async name => {
      const agent = await loadAgent(name)
      return { agent: name, title: agent.title, sources: await sourcesOf(agent, loaded) }
    }),
  )
}

async function sourcesOf(agent: AgentAdapter, loaded: LoadedConfig | null): Promise<AgentSources['sources']> {
  const { reports } = agent
  const config = loaded?.config
  const areHooksOn = !config || (config.hooks.enabled && config.agents[agent.name]?.hooks !== false)
  const isStatusOn = !config || config.osc7501.enabled
  const use = (isOffered: boolean, isOn = true): SourceUse => (isOffered ? (isOn ? 'used' : 'off') : 'none')
  const pack = agent.pack === null ? null : await loadPack(agent.pack, null)
  const hasTitle = pack !== null && (pack.detect.title !== null || pack.rules.some(({ region }) => region === 'title'))
  const read = (mark: 'OSC 133' | 'OSC 9;4', isRead: boolean): SourceUse =>
    reports.marks?.includes(mark) ? (isRead ? 'used' : 'offered') : 'none'
  return {
    'server API': use(reports.events),
    hooks: use(reports.hooks, areHooksOn),
    transcript: use(reports.transcript),
    'OSC 7501': use(reports.osc7501, isStatusOn),
    'OSC 133': read('OSC 133', pack === null),
    'OSC 9;4': read('OSC 9;4', pack === null || pack.byStructure || readsProgress(pack)),
    title: use(hasTitle),
    screen: 'used',
    ACP: agent.acp ? 'on request' : 'none',
    'JSON stream': agent.headless ? 'on request' : 'none',
  }
}

/** Without such a rule, only a pack that reads by structure takes progress for work. */
function readsProgress({ regions, rules }: Pack): boolean {
  const names = regions.filter(({ kind }) => kind === 'progress').map(({ name }) => name)
  return rules.some(({ region }) => region === 'progress' || names.includes(region))
}

/** `signalbox doctor` reports mistakes in settings. */
function settingsOf(env: NodeJS.ProcessEnv): LoadedConfig | null {
  try {
    return loadConfig({ environment: env, userFile: `${resolveDirectories(env, env.HOME).config}/config.toml` })
  } catch {
    return null
  }
}
