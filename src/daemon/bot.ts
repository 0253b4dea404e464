import { agentNames, loadAgent } from '../agents/index.js'
import { systemClock } from '../clock/index.js'
import type { Config } from '../config/index.js'
import { updateAgent } from '../doctor/index.js'
import { SignalboxError } from '../errors/index.js'
import { botToken, checkBotToken, type Home, openHome, publicAddress, storeBotToken } from '../host/home/index.js'
import type { Host } from '../host/index.js'
import { People } from '../people/index.js'
import { isOwnerGone, ownName } from '../process/index.js'
import { daemonContext, resumeInDaemon, startOneshot, startPipeline } from '../runs/index.js'
import type { BotControl } from '../server/index.js'
import type { Telegram, TelegramPorts, TelegramSettings } from '../telegram/index.js'

interface BotParts {
  host: Host
  lockdown: NonNullable<TelegramPorts['lockdown']>
}

/**
 * The Telegram bot as a part of the daemon; the API server shows its state and steers the pairing.
 */
export interface DaemonBot extends BotControl {
  start(parts: BotParts): void
  stop(): Promise<void>
}

export function createBot(options: { home: Home; env: NodeJS.ProcessEnv; log(line: string): void }): DaemonBot {
  const { env, log } = options
  let { home } = options
  let parts: BotParts | null = null
  let bot: Telegram | null = null
  let problem: string | null = null
  let starting: Promise<void> = Promise.resolve()
  const onError = (error: unknown) => log(`telegram: ${error instanceof Error ? error.message : String(error)}`)
  const start = () => {
    let token: string | null
    try {
      token = home.loaded.config.telegram.enabled ? botToken(home) : null
    } catch (error) {
      // Without its bot the daemon still offers everything else.
      onError(error)
      problem = error instanceof Error ? error.message : String(error)
      return
    }
    if (token === null || parts === null) return
    problem = null
    starting = openBot({ home, env, token, onError }, parts).then(opened => {
      bot = opened
      opened.begin()
    })
    starting.catch(onError)
  }
  const stop = async () => {
    await starting.catch(() => undefined)
    await bot?.stop()
    bot = null
  }
  return {
    health: () => {
      if (bot) return { state: bot.health.state, detail: bot.health.reason }
      return problem === null ? { state: 'off' } : { state: 'off', detail: problem }
    },
    pairing: () => {
      if (bot) return bot.pairing
      throw new SignalboxError('E_STATE', problem ?? 'the Telegram bot is not running', {
        next: 'signalbox telegram setup',
      })
    },
    setUp: async ({ token, removesWebhook }) => {
      const found = await storeBot(openHome({ env }), { token, removesWebhook })
      if (found.hasWebhook) return found
      await stop()
      home = openHome({ env })
      start()
      await starting
      return found
    },
    start: given => {
      parts = given
      start()
    },
    stop,
  }
}

/** Checks a token with Telegram, and stores it in a file that only the owner can read. */
async function storeBot(home: Home, given: { token: string; removesWebhook: boolean }) {
  const { telegram } = home.loaded.config
  if (telegram.token !== null)
    throw new SignalboxError('E_STATE', 'the token of the bot is set in the environment of Signalbox', {
      next: 'change SIGNALBOX_TELEGRAM_TOKEN there, and restart Signalbox',
    })
  const token = checkBotToken(given.token.trim(), 'the text')
  const { openBotApi, botName } = await import('../telegram/index.js')
  const api = openBotApi({ token, apiRoot: telegram.api_root })
  const name = await botName(api)
  const { url } = await api.call<{ url: string }>('getWebhookInfo', {})
  if (url !== '' && !given.removesWebhook) return { name, hasWebhook: true }
  if (url !== '') await api.call('deleteWebhook', { drop_pending_updates: false })
  storeBotToken(home, token)
  return { name, hasWebhook: false }
}

interface BotOptions {
  home: Home
  env: NodeJS.ProcessEnv
  token: string
  onError(error: unknown): void
}

/**
 * Which notifications the bot sends. Read at each of them: these settings apply without a restart.
 */
export function notificationKinds(now: () => Config['notify']): NonNullable<TelegramSettings['notify']> {
  const isOn = (kind: 'needs_you' | 'done' | 'failed') => now().enabled && now()[kind]
  return {
    get needsYou() {
      return isOn('needs_you')
    },
    get done() {
      return isOn('done')
    },
    get failed() {
      return isOn('failed')
    },
  }
}

async function openBot({ home, env, token, onError }: BotOptions, parts: BotParts): Promise<Telegram> {
  const { telegram } = home.loaded.config
  const notify = () => parts.host.notifications?.settings ?? home.loaded.config.notify
  // A quarter of all code of the daemon, which most daemons do not need.
  const { openBotApi, Telegram } = await import('../telegram/index.js')
  return new Telegram({
    host: parts.host,
    api: openBotApi({ token, apiRoot: telegram.api_root }),
    people: new People(home.directories.config),
    clock: parts.host.clock,
    owner: ownName(),
    isGone: isOwnerGone,
    settings: {
      groups: telegram.groups.map(Number).filter(Number.isSafeInteger),
      groupDetail: telegram.group_detail,
      topics: telegram.topics,
      stream: telegram.stream,
      announce: telegram.announce,
      get quiet() {
        return notify().quiet
      },
      notify: notificationKinds(notify),
    },
    ports: {
      ...runStarters({ home, env, host: parts.host }),
      ...(await installedAgents(home, env)),
      roots: home.loaded.config.projects.roots,
      lockdown: parts.lockdown,
      updateAgent: agent => updateAgent(agent, { env, configuredCommand: home.settings.commands?.[agent] ?? null }),
      ...publicAddress(home.loaded.config.server),
    },
    presence: () => ({
      channels: notify().channels,
      lastActive: parts.host.notifications?.lastActive ?? {},
      settings: {
        graceMs: notify().grace_s * 1000,
        nextMs: notify().next_s * 1000,
        allMs: notify().all_s * 1000,
        remindMs: notify().remind_s * 1000,
      },
    }),
    utcOffset: -new Date(systemClock.now()).getTimezoneOffset(),
    onError,
  })
}

/** How the bot starts and resumes runs; the daemon drives them. */
export function runStarters({
  home,
  env,
  host,
}: {
  home: Home
  env: NodeJS.ProcessEnv
  host: Host
}): Required<Pick<TelegramPorts, 'startOneshot' | 'startPipeline' | 'resumeRun'>> {
  const labels = { surface: 'telegram' }
  const context = (project: string, person: string) =>
    daemonContext({ store: host.store, home, env, clock: host.clock, person }, project)
  return {
    startOneshot: async ({ task, project, agent }) => {
      const options = { task, agent, labels, isDetached: true, mayAsk: false }
      return (await startOneshot(context(project, 'local'), options)).id
    },
    startPipeline: async (name, { input, project, person }) =>
      (await startPipeline(context(project, person), name, input, { labels })).id,
    resumeRun: (run, by) => resumeInDaemon(context(run.project, run.person), run, by),
  }
}

async function installedAgents(
  { settings }: Home,
  env: NodeJS.ProcessEnv,
): Promise<Pick<TelegramPorts, 'agents' | 'agentsWithoutTerminal'>> {
  const all = await Promise.all(agentNames().map(loadAgent))
  const found = all.filter(
    agent => agent.locate({ env, cwd: '/', configuredCommand: settings.commands?.[agent.name] ?? null }).found,
  )
  // An agent without a program of its own has no terminal either.
  const withoutTerminal = found.filter(({ programs }) => programs.length === 0)
  return { agents: found.map(({ name }) => name), agentsWithoutTerminal: withoutTerminal.map(({ name }) => name) }
}
