import { agentNames, loadAgent } from '../../agents/index.js'
import { systemClock } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { Host } from '../../host/index.js'
import { People } from '../../people/index.js'
import { isOwnerGone, ownName } from '../../process/index.js'
import type { ServerExtras } from '../../server/index.js'
import { openBotApi, Telegram, type TelegramPorts } from '../../telegram/index.js'
import type { CommandContext } from '../context.js'
import { updateAgent } from '../doctor/update-agent.js'
import type { Home } from '../home.js'
import { botToken } from './bot-token.js'
import { serverExtras } from './server-extras.js'

type ServerConfig = Home['loaded']['config']['server']

interface Parts {
  host: Host
  lockdown: NonNullable<TelegramPorts['lockdown']>
}

/** The bot as a part of the daemon, where a token is set: what it offers to the other surfaces, and how it is opened. */
export function telegramSurface(
  context: CommandContext,
  home: Home,
  log: (line: string) => void,
): { extras: ServerExtras; open(parts: Parts): { stop(): Promise<void> } } {
  let bot: Telegram | null = null
  let problem: string | null = null
  const people = new People(home.directories.config)
  const onError = (error: unknown) => log(`telegram: ${error instanceof Error ? error.message : String(error)}`)
  const pairing = () => {
    if (bot) return bot.pairing
    throw new SignalboxError('E_STATE', problem ?? 'no Telegram bot runs', { next: 'signalbox telegram setup' })
  }
  return {
    extras: {
      telegram: () => {
        if (bot) return { state: bot.health.state, detail: bot.health.reason }
        return problem === null ? { state: 'off' } : { state: 'off', detail: problem }
      },
      pairing: {
        open: async () => ({ ...pairing().open() }),
        confirm: async code => ({ person: pairing().confirm(code) }),
        close: async () => ({ ...pairing().close() }),
      },
      people: async () =>
        people.all().map(({ id, name, role, telegram }) => ({
          id,
          name,
          role,
          surfaces: telegram.length > 0 ? ['telegram'] : [],
        })),
    },
    open(parts) {
      const { telegram: settings, notify, projects, runs, server } = home.loaded.config
      const token = (() => {
        try {
          return settings.enabled ? botToken(home) : null
        } catch (error) {
          // Without its bot the daemon still has everything else.
          onError(error)
          problem = error instanceof Error ? error.message : String(error)
          return null
        }
      })()
      if (token === null) return { stop: async () => undefined }
      const { startOneshot, pipelines } = serverExtras(context, home)
      const opened = installedAgents(context, home).then(agents => {
        bot = new Telegram({
          host: parts.host,
          api: openBotApi({ token, apiRoot: settings.api_root }),
          people,
          clock: systemClock,
          owner: ownName(),
          isGone: isOwnerGone,
          settings: {
            groups: settings.groups.map(Number).filter(Number.isSafeInteger),
            groupDetail: settings.group_detail,
            topics: settings.topics,
            stream: settings.stream,
            announce: settings.announce,
            quiet: notify.quiet,
            notify: {
              needsYou: notify.enabled && notify.needs_you,
              done: notify.enabled && notify.done,
              failed: notify.enabled && notify.failed,
            },
          },
          ports: {
            agents,
            roots: projects.roots,
            lockdown: parts.lockdown,
            updateAgent: agent =>
              updateAgent(agent, { env: context.env, configuredCommand: home.settings.commands?.[agent] ?? null }),
            dayUsd: runs.day_usd,
            ...dashboardOf(server),
            ...(pipelines && {
              startPipeline: (name: string, wish: { input: unknown; project: string; person: string }) =>
                pipelines.start(name, { ...wish, labels: { surface: 'telegram' } }),
            }),
            ...(startOneshot && {
              startOneshot: (wish: { task: string; project: string; agent?: string }) =>
                startOneshot(parts.host.store, wish),
            }),
          },
          presence: () => ({
            channels: notify.channels,
            lastActive: parts.host.notices?.lastActive ?? {},
            settings: {
              graceMs: notify.grace_s * 1000,
              nextMs: notify.next_s * 1000,
              allMs: notify.all_s * 1000,
              remindMs: notify.remind_s * 1000,
            },
          }),
          utcOffset: -new Date(systemClock.now()).getTimezoneOffset(),
          onError,
        })
        bot.begin()
      })
      opened.catch(onError)
      return {
        stop: async () => {
          await opened.catch(() => undefined)
          await bot?.stop()
        },
      }
    },
  }
}

/** Only an address that others can reach is worth a button: the first name that the dashboard is known by, behind TLS. */
function dashboardOf({ public: isPublic, hosts, port, behind_proxy }: ServerConfig): { dashboard?: string } {
  const [name] = hosts
  if (!isPublic || name === undefined) return {}
  const isNamedWithPort = /:\d+$/.test(name)
  return { dashboard: `https://${name}${behind_proxy || port === 0 || isNamedWithPort ? '' : `:${port}`}` }
}

/** Agents that could be started here and now. */
async function installedAgents(context: CommandContext, home: Home): Promise<string[]> {
  const found = await Promise.all(
    agentNames().map(async name => {
      const adapter = await loadAgent(name)
      const configuredCommand = home.settings.commands?.[name] ?? null
      return adapter.locate({ env: context.env, cwd: '/', configuredCommand }).found ? [name] : []
    }),
  )
  return found.flat()
}
