import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { delay, systemClock } from '../../clock/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import type { EventData } from '../../events/index.js'
import { botToken, checkBotToken, type Home, openHome, storeBotToken } from '../../host/home/index.js'
import { People, type PersonRole } from '../../people/index.js'
import type { Health, InMilliseconds, LoggedEvent, Page } from '../../server/index.js'
import { type BotApi, botName, openBotApi, type PairingState } from '../../telegram/index.js'
import { visibleText } from '../../text/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { unknownAction } from '../parse-options.js'
import type { InputOf } from '../specs/index.js'

const POLL_MS = 500
const CONNECT_MS = 20_000
const LOG_PAGE = 200
const REFUSED_SHOWN = 50

export async function run(context: CommandContext, { args, options }: InputOf<'telegram'>): Promise<number> {
  const { action = 'status', id } = args
  const { role } = options
  const home = openHome(context)
  const isJson = options.json === true
  switch (action) {
    case 'status':
      return status(context, home, isJson)
    case 'test':
      return test(context, home, isJson)
    case 'unpair':
      return unpair(context, home, accountOf(id), isJson)
    case 'pair':
      if (id === undefined) return pairPhone(context, home, role)
      return pairAccount(context, home, accountOf(id), { name: options.name ?? `account ${id}`, role })
    case 'setup':
      return setup(context, home, role)
    case 'refused':
      return refused(context, home, isJson)
    default:
      throw unknownAction(action, ['setup', 'status', 'pair', 'unpair', 'refused', 'test'])
  }
}

async function status(context: CommandContext, home: Home, isJson: boolean): Promise<number> {
  const client = await DaemonClient.running(context)
  const telegram = client ? (await client.get<Health>('/health')).telegram : { state: 'off' }
  const hasToken = botToken(home) !== null
  const people = new People(home.directories.config).all()
  if (isJson) {
    context.json({ ...telegram, hasToken, isRunning: client !== null, people })
    return EXIT.ok
  }
  if (!hasToken) context.out('no bot is set up; run signalbox telegram setup')
  else if (!client) context.out('the bot is not running because the daemon is not: signalbox serve --background')
  else {
    context.out(`the bot is ${telegram.state}${telegram.detail ? ` (${visibleText(telegram.detail)})` : ''}`)
    const next = nextFor(telegram)
    if (next !== null) context.out(context.style('dim', `  next: ${next}`))
  }
  const paired = people.filter(({ telegram: accounts }) => accounts.length > 0)
  if (paired.length === 0) context.out('the bot does not answer until an account is paired')
  for (const { name, role, telegram: accounts } of paired)
    context.out(`  ${visibleText(name)} · ${role} · ${accounts.join(', ')}`)
  return EXIT.ok
}

/** What to do about a bot that receives no messages. */
function nextFor({ state, detail = '' }: { state: string; detail?: string }): string | null {
  if (state === 'unauthorized') return 'get a new token from BotFather (/token), then run signalbox telegram setup'
  if (state !== 'not-receiving') return null
  if (detail.includes('webhook')) return 'signalbox telegram setup can remove it'
  if (detail.includes('another program')) return 'stop the other program; the bot reconnects within a minute'
  return 'none; it keeps retrying'
}

/** Sends a message to every paired account. */
async function test(context: CommandContext, home: Home, isJson: boolean): Promise<number> {
  const api = openApi(home)
  const accounts = new People(home.directories.config).all().flatMap(({ telegram }) => telegram)
  if (accounts.length === 0)
    throw new SignalboxError('E_STATE', 'no account is paired', { next: 'signalbox telegram pair' })
  const results = await Promise.all(
    accounts.map(async chat => ({
      chat,
      problem: await api
        .call('sendMessage', { chat_id: chat, text: 'Signalbox can reach you.' })
        .then(() => null)
        .catch(error => (error as Error).message),
    })),
  )
  if (isJson) context.json({ results })
  else
    for (const { chat, problem } of results)
      context.out(`${chat}: ${problem === null ? 'sent' : `not sent: ${visibleText(problem)}`}`)
  return results.every(({ problem }) => problem === null) ? EXIT.ok : EXIT.failed
}

type Refusal = LoggedEvent & { data: EventData<'telegram.refused'> }

/**
 * Refused attempts, newest last: unpaired accounts, viewers, forwarded messages, stale and forged
 * buttons.
 */
async function refused(context: CommandContext, home: Home, isJson: boolean): Promise<number> {
  const client = await DaemonClient.connect(context)
  const found: InMilliseconds<Refusal>[] = []
  for (let since: string | null = ''; since !== null; ) {
    const query: string = since === '' ? '' : `&since=${encodeURIComponent(since)}`
    const page: InMilliseconds<Page<Refusal>> = await client.get<Page<Refusal>>(
      `/events/log?types=telegram.refused&limit=${LOG_PAGE}${query}`,
    )
    found.push(...page.items)
    since = page.next
  }
  const people = new People(home.directories.config)
  const rows = found.slice(-REFUSED_SHOWN).map(({ at, data: { from, chat, reason } }) => ({
    at,
    account: from ?? null,
    person: (from !== undefined && people.byTelegram(from)?.name) || null,
    chat: chat ?? null,
    reason,
  }))
  if (isJson) context.json({ items: rows, count: found.length })
  else if (rows.length === 0) context.out('no refused attempts')
  else {
    for (const { at, account, person, chat, reason } of rows) {
      const who = `${person === null ? 'unpaired account' : visibleText(person)} (${account ?? '?'})`
      const where = chat === null || chat === account ? '' : ` in ${chat}`
      const time = new Date(at).toISOString().slice(0, 19).replace('T', ' ')
      context.out(`${context.style('dim', `${time}Z`)}  ${who}${where}: ${visibleText(reason)}`)
    }
    if (found.length > rows.length) context.out(`${found.length - rows.length} earlier ones`)
  }
  return EXIT.ok
}

function unpair(context: CommandContext, home: Home, account: number, isJson: boolean): number {
  const isGone = new People(home.directories.config).unpair(account)
  if (isJson) context.json({ unpaired: isGone ? account : null })
  else context.out(isGone ? `${account} is no longer paired` : `${account} was not paired`)
  return isGone ? EXIT.ok : EXIT.failed
}

function pairAccount(
  context: CommandContext,
  home: Home,
  account: number,
  { name, role = 'approver' }: { name: string; role: PersonRole | undefined },
): number {
  new People(home.directories.config).pair(account, { name, role })
  context.out(
    `${visibleText(name)} (id ${account}) is paired as ${role}; the bot can write to them after they send /start`,
  )
  return EXIT.ok
}

/** Asks for a token, checks it, and pairs a phone. */
async function setup(context: CommandContext, home: Home, role: PersonRole | undefined): Promise<number> {
  requirePerson(context)
  let token = await validToken(context, home)
  if (token === null) {
    context.out('1. In Telegram, send /newbot to @BotFather: it creates a bot and shows its token.')
    const typed = await ask(context, 'The token (not shown): ', { isSecret: true })
    token = checkBotToken(typed.trim(), 'your answer')
    await botName(openBotApi({ token, apiRoot: home.loaded.config.telegram.api_root }))
    const file = storeBotToken(home, token)
    context.out(context.style('dim', `stored in ${file}, which only you can read`))
  }
  const api = openBotApi({ token, apiRoot: home.loaded.config.telegram.api_root })
  const name = await botName(api)
  context.out(`2. The bot is @${name}.`)
  const { url } = await api.call<{ url: string }>('getWebhookInfo', {})
  if (url) {
    const answer = await ask(context, 'A webhook is set, so the bot gets no messages here. Remove it? [y/N] ')
    if (/^y/i.test(answer)) await api.call('deleteWebhook', { drop_pending_updates: false })
  }
  await restartDaemon(context, { isNeeded: url !== '' })
  return pairPhone(context, openHome(context), role)
}

/** The stored token, if Telegram still accepts it. */
async function validToken(context: CommandContext, home: Home): Promise<string | null> {
  const token = botToken(home)
  if (token === null) return null
  try {
    await botName(openBotApi({ token, apiRoot: home.loaded.config.telegram.api_root }))
    return token
  } catch (error) {
    if (!(error instanceof SignalboxError) || error.code !== 'E_CONFIG' || home.loaded.config.telegram.token !== null)
      throw error
    context.out('Telegram no longer accepts the stored token.')
    return null
  }
}

/** The code is sent from the phone; only a person's confirmation here pairs it. */
async function pairPhone(context: CommandContext, home: Home, role: PersonRole | undefined): Promise<number> {
  requirePerson(context)
  const name = await botName(openApi(home))
  const client = await DaemonClient.connect(context)
  const pairing = (action: 'open' | 'close') => client.post<PairingState>('/pairing/telegram', { action })
  await untilConnected(client)
  const { code } = await pairing('open')
  context.out(`3. On the phone, open https://t.me/${name}?start=${code}`)
  context.out(`   or send ${context.style('bold', code ?? '')} to @${name}. The code works once, for 10 minutes.`)
  for (;;) {
    const state = await pairing('open')
    if (state.code !== code)
      throw new SignalboxError('E_TIMEOUT', 'the code has expired', { next: 'signalbox telegram pair' })
    if (state.candidate) {
      const { id, name: who } = state.candidate
      const answer = await ask(context, `Pair ${visibleText(who)} (id ${id})? [y/N] `)
      await pairing('close')
      if (!/^y/i.test(answer)) {
        context.out('not paired')
        return EXIT.rejected
      }
      const people = new People(home.directories.config)
      const isFirst = people.all().every(({ telegram }) => telegram.length === 0)
      const person = people.pair(id, { name: who, role: role ?? (isFirst ? 'owner' : 'approver') })
      context.out(`${visibleText(person.name)} is paired as ${person.role}. Send /start to the bot.`)
      return EXIT.ok
    }
    await delay(systemClock, POLL_MS)
  }
}

/** A running daemon does not read the new token, and waits before it reconnects. */
async function restartDaemon(context: CommandContext, { isNeeded }: { isNeeded: boolean }): Promise<void> {
  const client = await DaemonClient.running(context)
  if (!client) return
  const { telegram } = await client.get<Health>('/health')
  if (!isNeeded && telegram && telegram.state !== 'off' && telegram.state !== 'unauthorized') return
  context.out('Restarting the daemon with the bot; agents keep running.')
  await client.post('/shutdown')
  while (await client.isUp()) await delay(systemClock, 50)
}

async function untilConnected(client: DaemonClient): Promise<void> {
  const deadline = systemClock.monotonic() + CONNECT_MS
  for (;;) {
    const { telegram } = await client.get<Health>('/health')
    if (telegram?.state === 'connected') return
    if (systemClock.monotonic() > deadline)
      throw new SignalboxError('E_STATE', `the bot is not connected: ${telegram?.detail ?? telegram?.state}`, {
        next: 'signalbox telegram status',
      })
    await delay(systemClock, 100)
  }
}

function openApi(home: Home): BotApi {
  const token = botToken(home)
  if (token === null) throw new SignalboxError('E_CONFIG', 'no bot is set up', { next: 'signalbox telegram setup' })
  return openBotApi({ token, apiRoot: home.loaded.config.telegram.api_root })
}

function accountOf(id: string | undefined): number {
  if (id !== undefined && /^\d{1,15}$/.test(id)) return Number(id)
  throw new SignalboxError('E_INPUT', 'give the numeric Telegram id; names are not accepted', {
    next: 'signalbox telegram status lists paired accounts',
  })
}

function requirePerson(context: CommandContext): void {
  if (!context.isInteractive)
    throw new SignalboxError('E_NEEDS_HUMAN', 'pairing needs a terminal', {
      next: 'or give the account: signalbox telegram pair <id> --name Ann',
    })
}

async function ask(context: CommandContext, question: string, { isSecret = false } = {}): Promise<string> {
  if (isSecret) context.write(question)
  const silent = new Writable({ write: (_, __, done) => done() })
  const reader = createInterface({ input: process.stdin, output: isSecret ? silent : process.stdout, terminal: true })
  try {
    return await reader.question(isSecret ? '' : question)
  } finally {
    reader.close()
    if (isSecret) context.out('')
  }
}
