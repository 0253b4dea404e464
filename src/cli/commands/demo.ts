import { join } from 'node:path'
import { systemClock } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import { openHome } from '../../host/home/index.js'
import { Host } from '../../host/index.js'
import { Keeper } from '../../keeper/index.js'
import type { CommandContext } from '../context.js'
import { cutOffDemo, forgetOldDemos, newDemoDirectory } from '../demo/demo-home.js'
import { DemoRun } from '../demo/terminal-demo.js'
import type { CommandInput } from '../specs/command-spec.js'
import { version } from '../version.js'

/** The demo has a home of its own: nothing of the person's settings, sessions or agents is touched. */
export async function run(context: CommandContext, { options }: CommandInput): Promise<number> {
  const speed = options.speed === undefined ? 1 : Number(options.speed)
  if (!Number.isFinite(speed) || speed < 0)
    throw new SignalboxError('E_INPUT', `"${String(options.speed)}" is no speed`, {
      next: 'a number such as 1 or 5; 0 leaves all pauses out',
    })
  const isLive =
    options.dashboard === true ||
    options.telegram === true ||
    (context.isInteractive && !options.terminal && !options.yes)
  if (!context.isInteractive && !options.yes && !isLive) {
    throw new SignalboxError(
      'E_NEEDS_HUMAN',
      'the demo agent will ask for a permission, and there is no terminal to ask on',
      { next: 'signalbox demo --yes answers for you' },
    )
  }
  forgetOldDemos()
  if (isLive) {
    const { runLiveDemo } = await import('../demo/live-demo.js')
    const left = options.fresh ? null : cutOffDemo()
    return runLiveDemo(context, {
      directory: left?.directory ?? newDemoDirectory(),
      formerPort: left?.port ?? null,
      speed: speed || 20,
      isJson: options.json === true,
      hasTelegram: options.telegram === true,
    })
  }
  const directory = newDemoDirectory()
  const home = openHome({ ...context, env: { ...context.env, SIGNALBOX_HOME: join(directory, 'home') } })
  const host = await Host.open({
    settings: home.settings,
    clock: systemClock,
    keeper: new Keeper(systemClock),
    owner: 'foreground',
    version: version(),
    onError: error => context.env.SIGNALBOX_DEBUG && context.note(String((error as Error).stack ?? error)),
  })
  try {
    const demo = new DemoRun(context, host, {
      directory,
      speed,
      answersItself: options.yes === true,
      isJson: options.json === true,
    })
    return await demo.run()
  } finally {
    await host.close().catch(() => undefined)
  }
}
