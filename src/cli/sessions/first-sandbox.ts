import { editSettings } from '../../config/index.js'
import { openHome } from '../../host/home/index.js'
import { defaultBackend, sandboxProblem } from '../../sandbox/index.js'
import { askYes } from '../ask.js'
import type { CommandContext } from '../context.js'

/**
 * Asks once, before the first agent that is started at a terminal, whether agents get a sandbox,
 * and writes the answer to the settings. It asks nothing where the settings have it already, where
 * this machine cannot make a sandbox, and about the demo agent.
 * @returns what the person chose; null if the settings decide.
 */
export async function askForSandbox(context: CommandContext, agent: string | null): Promise<'auto' | 'off' | null> {
  if (!context.isInteractive || agent === null || agent === 'demo') return null
  const { loaded, settings } = openHome(context)
  const origin = loaded.entries().find(({ key }) => key === 'sandbox.use')?.origin.source
  if (origin !== 'default' || settings.settingsFile === undefined) return null
  if (sandboxProblem(defaultBackend(), context.env.PATH) !== null) return null
  context.note(`Agents can run in a sandbox: ${agent} would see its project and its own settings, not the rest`)
  context.note(`of your home directory, and ask you about hosts. signalbox sandbox explain ${agent} shows it.`)
  const use = (await askYes('Use it for all agents from now on?')) ? 'auto' : 'off'
  editSettings(settings.settingsFile, { 'sandbox.use': use }, { version: null, isAtTerminal: true })
  context.note(`sandbox.use = "${use}" is in your settings; --sandbox and --sandbox off change it for one session.`)
  return use
}
