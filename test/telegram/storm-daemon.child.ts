// A daemon with its bot. The test kills the process, or it ends itself at the chosen append or
// call.
import { type Clock, delay, systemClock } from '../../src/clock/index.js'
import { openHome } from '../../src/host/home/index.js'
import { Host, type LiveUpdate } from '../../src/host/index.js'
import { Keeper } from '../../src/keeper/index.js'
import { People } from '../../src/people/index.js'
import { isOwnerGone, ownName } from '../../src/process/index.js'
import { openBotApi, Telegram } from '../../src/telegram/index.js'
import { quickClock } from './quick-clock.js'

/** The options of this process; `fate` says at which point it ends itself. */
export interface Life {
  home: string
  apiRoot: string
  token: string
  groups: number[]
  begin: number
  fate: { at: 'append' | 'call'; count: number; when: 'before' | 'after' } | null
}

export type ToDaemon = { do: 'show'; update: LiveUpdate } | { do: 'settle' }
export type FromDaemon = { settled: true } | { problem: string }

const { home, apiRoot, token, groups, begin, fate } = JSON.parse(process.argv[2]!) as Life
const clock: Clock = quickClock(begin)
const tell = (message: FromDaemon) => void process.send?.(message)
const onError = (error: unknown) =>
  tell({ problem: error instanceof Error ? (error.stack ?? error.message) : `${error}` })

const counts = { append: 0, call: 0 }
/** Ends the process at the chosen point. */
async function pass<T>(at: 'append' | 'call', work: () => Promise<T>): Promise<T> {
  counts[at] += 1
  const isLast = fate?.at === at && fate.count === counts[at]
  const end = () => {
    process.kill(process.pid, 'SIGKILL')
    return new Promise<never>(() => undefined)
  }
  if (isLast && fate.when === 'before') return end()
  const result = await work()
  return isLast ? end() : result
}

const context = { env: { PATH: process.env.PATH, HOME: home, SIGNALBOX_HOME: home }, cwd: home }
const { settings, directories } = openHome(context as never)
const host = await Host.open({
  settings: { ...settings, minFreeMb: 1 },
  clock: systemClock,
  keeper: new Keeper(systemClock),
  owner: 'daemon',
  version: '0.0.0',
  onError,
})
const store = host.store as unknown as Record<'append' | 'appendAll', (...args: never[]) => Promise<unknown>>
for (const name of ['append', 'appendAll'] as const) {
  const real = store[name].bind(store)
  store[name] = (...args: never[]) => pass('append', () => real(...args))
}
const api = openBotApi({ token, apiRoot })
const bot = new Telegram({
  host,
  api: { ...api, call: (method, fields, signal) => pass('call', () => api.call(method, fields, signal)) },
  people: new People(directories.config),
  clock,
  owner: ownName(),
  isGone: isOwnerGone,
  settings: { groups, groupDetail: false, topics: 'auto', stream: 'auto', announce: false, quiet: null },
  ports: { agents: ['demo'], roots: [] },
  utcOffset: 0,
  onError,
})
process.on('message', (message: ToDaemon) => {
  if (message.do === 'show') host.bus.emit(message.update)
  else void settled().then(() => tell({ settled: true }), onError)
})

async function settled(): Promise<void> {
  while (bot.health.state !== 'connected') await delay(clock, 1000)
  await bot.settled()
}

process.on('disconnect', () => process.exit())
bot.begin()
