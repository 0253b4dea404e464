import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathVariablesOf } from '../../agents/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { openHome } from '../../host/home/index.js'
import { ownProgram } from '../../process/index.js'
import { refuseToServe } from '../approvals/local-person.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { callManager, type ServiceManager, serviceManager } from '../service/service-manager.js'
import type { InputOf } from '../specs/index.js'

/**
 * Variables of the shell that the service needs: agents are found by PATH, a home directory by the
 * others.
 */
const INHERITED_VARIABLES = ['PATH', 'LANG', 'SHELL', 'SIGNALBOX_HOME', 'XDG_STATE_HOME', 'XDG_RUNTIME_DIR'] as const

export async function run(context: CommandContext, { args, options }: InputOf<'service'>): Promise<number> {
  const { directories } = openHome(context)
  const manager = serviceManager(context.env, {
    platform: process.platform,
    logFile: join(directories.state, 'daemon.log'),
  })
  if (!manager)
    throw new SignalboxError('E_INPUT', `this system (${process.platform}) has neither systemd nor launchd`, {
      next: 'start "signalbox serve" with your own service manager',
    })
  const action = args.action ?? 'status'
  if (action === 'status') return status(context, manager, options)
  refuseToServe(context)
  if (action === 'install') return install(context, manager, options)
  if (action === 'remove') return remove(context, manager, options)
  throw new SignalboxError('E_INPUT', `unknown action "${action}"`, { next: 'use install, status or remove' })
}

type Options = InputOf<'service'>['options']

async function install(context: CommandContext, manager: ServiceManager, { dryRun, json }: Options): Promise<number> {
  const script = ownProgram('cli')
  if (/[\\/]_npx[\\/]/.test(script))
    throw new SignalboxError('E_INPUT', 'npx runs Signalbox from a temporary cache, which a service cannot use', {
      next: 'npm install -g signalbox, then signalbox service install',
    })
  const content = manager.content({ node: process.execPath, script, env: passedVariables(context.env) })
  if (dryRun) {
    context.out(`# ${manager.file}\n${content}`)
    return EXIT.ok
  }
  const { isOk, message } = await callManager(manager.probe, context.env)
  if (!isOk)
    throw new SignalboxError('E_SERVICE', `${manager.name} does not answer for your user: ${message}`, {
      next: 'nothing was changed; start "signalbox serve" with your own service manager',
    })
  // A daemon that a command started would hold the lock of the home directory.
  const running = await DaemonClient.running(context)
  if (running) await running.end((await running.get<{ pid: number }>('/health')).pid)
  mkdirSync(dirname(manager.file), { recursive: true })
  writeFileSync(manager.file, content, { mode: 0o600 })
  if (manager.name === 'launchd') for (const command of manager.remove) await callManager(command, context.env)
  await callAll(context, manager, manager.install)
  if (json) context.json({ manager: manager.name, file: manager.file, isInstalled: true })
  else {
    context.out(`${manager.file} is installed: ${manager.name} starts Signalbox when you log in`)
    if (manager.atBoot) context.out(`To start it at boot, without a login: ${manager.atBoot}`)
    context.out('To continue your sessions after a restart: signalbox config set sessions.resume_lost true')
  }
  return EXIT.ok
}

async function remove(context: CommandContext, manager: ServiceManager, { json }: Options): Promise<number> {
  const wasInstalled = existsSync(manager.file)
  if (wasInstalled) {
    for (const command of manager.remove) await callManager(command, context.env)
    rmSync(manager.file)
    if (manager.name === 'systemd') await callManager(['systemctl', '--user', 'daemon-reload'], context.env)
  }
  if (json) context.json({ manager: manager.name, file: manager.file, wasInstalled })
  else context.out(wasInstalled ? `${manager.file} is removed; your agents keep running` : 'no service is installed')
  return EXIT.ok
}

/** Exit code 1 if it is installed and does not run. */
async function status(context: CommandContext, manager: ServiceManager, { json }: Options): Promise<number> {
  const isInstalled = existsSync(manager.file)
  const { isOk: isRunning } = isInstalled ? await callManager(manager.isRunning, context.env) : { isOk: false }
  const isOutdated = isInstalled && !readFileSync(manager.file, 'utf8').includes(ownProgram('cli'))
  if (json) context.json({ manager: manager.name, file: manager.file, isInstalled, isRunning, isOutdated })
  else if (!isInstalled) context.out('no service is installed (signalbox service install)')
  else context.out(`${manager.file}: ${isRunning ? 'running' : 'not running'}`)
  if (isOutdated)
    context.note('note: it starts another installation of Signalbox; signalbox service install updates it')
  return isInstalled && !isRunning ? EXIT.failed : EXIT.ok
}

async function callAll(
  context: CommandContext,
  manager: ServiceManager,
  commands: readonly (readonly string[])[],
): Promise<void> {
  for (const command of commands) {
    const { isOk, message } = await callManager(command, context.env)
    if (!isOk)
      throw new SignalboxError('E_SERVICE', `${command.join(' ')} failed: ${message}`, {
        next: `the file ${manager.file} is written; repeat the command when ${manager.name} runs`,
      })
  }
}

function passedVariables(env: NodeJS.ProcessEnv): Record<string, string> {
  const { HOME: _, ...places } = pathVariablesOf(env)
  const shell = INHERITED_VARIABLES.flatMap(name => (env[name] === undefined ? [] : [[name, env[name]] as const]))
  return { ...places, ...Object.fromEntries(shell) }
}
