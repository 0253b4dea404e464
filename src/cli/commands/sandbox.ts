import { resolve } from 'node:path'
import { adapterForProgram, loadAgent, loadPack } from '../../agents/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { openHome } from '../../host/home/index.js'
import { explainSandbox } from '../../host/index.js'
import { canOpenPaths, defaultBackend, sandboxProblem } from '../../sandbox/index.js'
import type { CommandContext } from '../context.js'
import { stringEntries } from '../sessions/session-info.js'
import type { InputOf } from '../specs/index.js'

/** `sandbox explain`: what a session of an agent would see and reach in its sandbox, and why. */
export async function run(context: CommandContext, { args, options }: InputOf<'sandbox'>): Promise<number> {
  if (args.action !== 'explain')
    throw new SignalboxError('E_INPUT', `unknown action "${args.action}"`, { next: 'signalbox sandbox explain claude' })
  const { settings } = openHome(context)
  const name = args.agent ?? 'claude'
  const adapter = await loadAgent(name).catch(() => adapterForProgram(name))
  const cwd = resolve(context.cwd, options.cwd ?? '.')
  const env = stringEntries(context.env)
  const found = adapter.locate({ env, cwd, configuredCommand: settings.commands?.[adapter.name] ?? null })
  const pack = await loadPack(adapter.pack, settings.packDirectory, null)
  const given = { ...pack.env.set, ...settings.agents?.[adapter.name]?.env }
  const plan = await explainSandbox(adapter.name, settings, {
    file: found.found ? found.file : '/bin/sh',
    cwd,
    environment: { ...env, ...given },
    given: Object.keys(given),
  })
  const problem = sandboxProblem(defaultBackend(), context.env.PATH)
  if (options.json)
    context.json({
      backend: defaultBackend(),
      problem,
      opensPaths: canOpenPaths(context.env.PATH),
      ...plan,
      env: Object.keys(plan.env),
    })
  else {
    context.out(`${context.style('bold', 'backend')}  ${defaultBackend()}${problem === null ? '' : `: ${problem}`}`)
    const opens = canOpenPaths(context.env.PATH) ? 'appear at once' : 'take effect at the next start of a session'
    context.out(`${context.style('bold', 'paths')}    refused ones are asked about; those that you allow ${opens}`)
    context.out(`${context.style('bold', 'network')}  ${plan.network}`)
    if (plan.network === 'filtered')
      context.out(`${context.style('bold', 'hosts')}    ${plan.hosts.join(' ') || 'none; others are asked about'}`)
    context.out(`${context.style('bold', 'env')}      ${Object.keys(plan.env).sort().join(' ')}`)
    for (const { path, access, why, isCopy } of plan.paths)
      context.out(`${(isCopy ? 'copy' : access).padEnd(8)} ${path}  ${context.style('dim', why)}`)
  }
  return problem === null ? EXIT.ok : EXIT.failed
}
