import { join } from 'node:path'
import { createDemoDirectory } from '../../agents/index.js'
import { systemClock } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import { openHome } from '../../host/home/index.js'
import { Host } from '../../host/index.js'
import { Keeper } from '../../keeper/index.js'
import type { CommandContext } from '../context.js'
import { findInterruptedDemo, removeOldDemos } from '../demo/demo-home.js'
import { TerminalDemo } from '../demo/terminal-demo.js'
import type { InputOf } from '../specs/index.js'
import { version } from '../version.js'

/** The demo has its own home: it does not touch the person's settings, sessions or agents. */
export async function run(context: CommandContext, { options }: InputOf<'demo'>): Promise<number> {
  const speed = options.speed === undefined ? 1 : Number(options.speed)
  if (!Number.isFinite(speed) || speed < 0)
    throw new SignalboxError('E_INPUT', `invalid speed "${options.speed}"`, {
      next: 'use a number such as 1 or 5; 0 leaves out all pauses',
    })
  if (options.cluster) {
    const { runClusterDemo } = await import('../cluster/cluster-demo.js')
    removeOldDemos()
    return runClusterDemo(context, {
      directory: createDemoDirectory(),
      engine: options.engine ?? 'store',
      workers: workerCount(options.workers),
      speed: speed || 20,
      isJson: options.json === true,
      isEmpty: options.empty === true,
    })
  }
  const isDashboard = options.dashboard === true || options.telegram === true || (!options.terminal && !options.yes)
  if (!context.isInteractive && !options.yes && !isDashboard)
    throw new SignalboxError('E_NEEDS_HUMAN', 'there is no terminal to answer the demo agent in', {
      next: 'leave out --terminal for the dashboard, or add --yes to approve automatically',
    })
  removeOldDemos()
  if (isDashboard) {
    const { runDashboardDemo } = await import('../demo/dashboard-demo.js')
    const home = openHome(context).directories.data
    const interrupted = options.fresh ? null : findInterruptedDemo(home)
    if (!options.json) context.note(interrupted ? 'resuming your last demo …' : 'starting the demo …')
    return runDashboardDemo(context, {
      directory: interrupted?.directory ?? createDemoDirectory(),
      home,
      formerPort: interrupted?.port ?? null,
      speed: speed || 20,
      isJson: options.json === true,
      hasTelegram: options.telegram === true,
    })
  }
  const directory = createDemoDirectory()
  const home = openHome({ env: { ...context.env, SIGNALBOX_HOME: join(directory, 'home'), SIGNALBOX_STORE_URL: '' } })
  const host = await Host.open({
    settings: home.settings,
    clock: systemClock,
    keeper: new Keeper(systemClock),
    owner: 'foreground',
    version: version(),
    onError: error => context.env.SIGNALBOX_DEBUG && context.note(String((error as Error).stack ?? error)),
  })
  try {
    const demo = new TerminalDemo(context, host, {
      directory,
      speed,
      isAutomatic: options.yes === true,
      isJson: options.json === true,
    })
    return await demo.run()
  } finally {
    await host.close().catch(() => undefined)
  }
}

function workerCount(text: string | undefined): number {
  const count = text === undefined ? 2 : Number(text)
  if (Number.isInteger(count) && count >= 1 && count <= 20) return count
  throw new SignalboxError('E_INPUT', `invalid number of workers "${text}"`, { next: 'use a number from 1 to 20' })
}
