import { join } from 'node:path'
import {
  agentNames,
  applyHooks,
  changeLines,
  type HookChange,
  loadAgent,
  planHooks,
  type UserHooks,
} from '../../agents/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { openHome } from '../../host/home/index.js'
import { ownProgram } from '../../process/index.js'
import { visibleText } from '../../text/index.js'
import { askYes } from '../ask.js'
import type { CommandContext } from '../context.js'
import { unknownAction } from '../parse-options.js'
import type { InputOf } from '../specs/index.js'

interface HookedAgent {
  name: string
  hooks: UserHooks
}

export async function run(context: CommandContext, { args, options }: InputOf<'hooks'>): Promise<number> {
  const { action = 'status' } = args
  if (action !== 'install' && action !== 'remove' && action !== 'status')
    throw unknownAction(action, ['install', 'remove', 'status'])
  const agents = await hookedAgents(args.agent ?? null)
  const backupDirectory = join(openHome(context).directories.data, 'hooks')
  const relay = [process.execPath, ownProgram('cli')]
  const plan = (agent: HookedAgent, wanted: 'install' | 'remove') =>
    planHooks(agent.name, agent.hooks, { env: context.env, relay, action: wanted, backupDirectory })
  if (action === 'status') {
    const states = agents.map(agent => {
      const { file, installed, wanted, before, after } = plan(agent, 'install')
      const state = installed === 0 ? 'not installed' : before === after ? 'installed' : 'outdated'
      return { agent: agent.name, file, state, installed, wanted }
    })
    if (options.json) context.json(states)
    else for (const { agent, state, file } of states) context.out(`${agent.padEnd(9)} ${state.padEnd(14)} ${file}`)
    return EXIT.ok
  }
  for (const agent of agents) {
    const change = plan(agent, action)
    if (!(await confirmChange(context, agent.name, action, change, options))) continue
    applyHooks(change, { agent: agent.name, action, backupDirectory })
    if (options.json) context.json({ agent: agent.name, file: change.file, changed: true })
    else
      context.out(
        `${agent.name}: hooks ${action === 'install' ? 'installed; active from its next start on' : 'removed'}`,
      )
  }
  return EXIT.ok
}

/** Shows the change and asks for confirmation; false if there is nothing to write. */
async function confirmChange(
  context: CommandContext,
  agent: string,
  action: 'install' | 'remove',
  change: HookChange,
  options: InputOf<'hooks'>['options'],
): Promise<boolean> {
  const isUnchanged = change.before === change.after
  if (options.json && (isUnchanged || options.dryRun))
    context.json({ agent, file: change.file, changed: false, after: change.after })
  else if (isUnchanged) context.out(`${agent}: nothing to ${action} in ${change.file}`)
  else if (!options.json) showChange(context, change)
  if (isUnchanged || options.dryRun) return false
  if (options.yes) return true
  if (!context.isInteractive)
    throw new SignalboxError('E_NEEDS_HUMAN', 'nothing was written: there is no terminal to ask in', {
      next: 'check the change, then add --yes',
    })
  const isWanted = await askYes(`Write ${change.file}?`)
  if (!isWanted) context.out('Nothing was written.')
  return isWanted
}

function showChange(context: CommandContext, { file, before, after }: HookChange): void {
  context.out(context.style('bold', before === '' ? `${file} (new)` : after === '' ? `${file} (removed)` : file))
  const styles = { ' ': 'dim', '-': 'red', '+': 'green' } as const
  for (const { sign, text } of changeLines(before, after))
    context.out(context.style(styles[sign], `${sign} ${visibleText(text)}`))
}

async function hookedAgents(only: string | null): Promise<HookedAgent[]> {
  const names = only === null ? agentNames() : [only]
  const agents = await Promise.all(names.map(loadAgent))
  const hooked = agents.flatMap(({ name, hooks }) => (hooks?.user ? [{ name, hooks: hooks.user }] : []))
  if (hooked.length > 0) return hooked
  throw new SignalboxError('E_INPUT', `${agents[0]?.title ?? 'this agent'} has no hooks in its own settings`, {
    next: `its panes are read from their screens; signalbox start ${only} uses hooks if it has any`,
  })
}
