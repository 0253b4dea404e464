import { join } from 'node:path'
import { agentNames, loadAgent, type UserHooks } from '../../agents/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { openHome } from '../../host/home/index.js'
import { ownProgram } from '../../process/index.js'
import { visibleText } from '../../text/index.js'
import { askLine } from '../ask.js'
import type { CommandContext } from '../context.js'
import type { CommandInput } from '../specs/command-spec.js'
import { applyHooks, changeLines, planHooks } from '../watch/user-hooks.js'

interface Wired {
  name: string
  title: string
  hooks: UserHooks
}

export async function run(context: CommandContext, { args, options }: CommandInput): Promise<number> {
  const action = String(args.action ?? 'status')
  if (action !== 'install' && action !== 'remove' && action !== 'status')
    throw new SignalboxError('E_INPUT', `"${action}" is not something to do with hooks`, {
      next: 'install, remove or status',
    })
  const agents = await wiredAgents(typeof args.agent === 'string' ? args.agent : null)
  const backupDirectory = join(openHome(context).directories.data, 'hooks')
  const relay = [process.execPath, ownProgram('cli')]
  const plan = (agent: Wired, wish: 'install' | 'remove') =>
    planHooks(agent.name, agent.hooks, { env: context.env, relay, wish, backupDirectory })
  if (action === 'status') {
    const states = agents.map(agent => {
      const { file, installed, wanted, before, after } = plan(agent, 'install')
      const state = installed === 0 ? 'not installed' : before === after ? 'installed' : 'outdated'
      return { agent: agent.name, file, state, installed, wanted }
    })
    if (options.json === true) context.json(states)
    else for (const { agent, state, file } of states) context.out(`${agent.padEnd(9)} ${state.padEnd(14)} ${file}`)
    return EXIT.ok
  }
  for (const agent of agents) {
    const change = plan(agent, action)
    const isNothing = change.before === change.after
    if (options.json === true && (isNothing || options.dryRun === true))
      context.json({ agent: agent.name, file: change.file, changed: false, after: change.after })
    else if (isNothing) context.out(`${agent.name}: nothing to ${action} in ${change.file}`)
    else if (options.json !== true) showChange(context, change)
    if (isNothing || options.dryRun === true) continue
    if (options.yes !== true) {
      if (!context.isInteractive)
        throw new SignalboxError('E_NEEDS_HUMAN', 'nothing was written: nobody could be asked', {
          next: 'look at the change, then add --yes',
        })
      if (!/^y(?:es)?$/i.test((await askLine(`Write ${change.file}? [y/N] `)).trim())) {
        context.out('Nothing was written.')
        continue
      }
    }
    applyHooks(change, { agent: agent.name, wish: action, backupDirectory })
    if (options.json === true) context.json({ agent: agent.name, file: change.file, changed: true })
    else
      context.out(
        `${agent.name}: hooks ${action === 'install' ? 'installed; they report from its next start on' : 'removed'}`,
      )
  }
  return EXIT.ok
}

function showChange(
  context: CommandContext,
  { file, before, after }: { file: string; before: string; after: string },
): void {
  context.out(context.style('bold', before === '' ? `${file} (new)` : after === '' ? `${file} (goes)` : file))
  const looks = { ' ': 'dim', '-': 'red', '+': 'green' } as const
  for (const { sign, text } of changeLines(before, after))
    context.out(context.style(looks[sign], `${sign} ${visibleText(text)}`))
}

/** Agents whose own settings can carry hooks. */
async function wiredAgents(only: string | null): Promise<Wired[]> {
  const names = only === null ? agentNames() : [only]
  const agents = await Promise.all(names.map(loadAgent))
  const wired = agents.flatMap(({ name, title, hooks }) => (hooks?.user ? [{ name, title, hooks: hooks.user }] : []))
  if (wired.length === 0)
    throw new SignalboxError(
      'E_INPUT',
      `${agents[0]?.title ?? 'this agent'} has no hooks that its own settings could carry`,
      {
        next: `its panes are read from their screens; in a session (signalbox start ${only}) hooks are wired where it has them`,
      },
    )
  return wired
}
