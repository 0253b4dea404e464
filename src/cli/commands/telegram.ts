import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { delay, systemClock } from '../../clock/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import type { EventData } from '../../events/index.js'
import { People, type PersonRole } from '../../people/index.js'
import type { Health, InMilliseconds, LoggedEvent, Page, Pairing } from '../../server/index.js'
import { ApiProblem, type BotApi, openBotApi } from '../../telegram/index.js'
import { visibleText } from '../../text/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { type Home, openHome } from '../home.js'
import { botToken, checked } from '../serve/bot-token.js'
import { editSettings } from '../serve/settings-edit.js'
import type { CommandInput } from '../specs/command-spec.js'

const LOOK_MS = 500
const CONNECT_MS = 20_000
const LOG_PAGE = 200
const REFUSED_SHOWN = 50

export async function run(context: CommandContext, { args, options }: CommandInput): Promise<number> {
  const { action = 'status', id } = args as { action?: string; id?: string }
  const home = openHome(context)
  const isJson = options.json === true
  const role = options.role as PersonRole | undefined
  switch (action) {
    case 'status':
      return status(context, home, isJson)
    case 'test':
      return test(context, home, isJson)
    case 'unpair':
      return unpair(context, home, accountOf(id), isJson)
    case 'pair':
      if (id === undefined) return pairPhone(context, home, role)
      return pairAccount(context, home, accountOf(id), { name: String(options.name ?? `account ${id}`), role })
    case 'setup':
      return setup(context, home, role)
    case 'refused':
      return refused(context, home, isJson)
    default:
      throw new SignalboxError('E_INPUT', `telegram has no action "${action}"`, {
        next: 'setup, status, pair, unpair, refused or test',
      })
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
  if (!hasToken) context.out('no bot: signalbox telegram setup makes one of a token')
  else if (!client) context.out('the daemon does not run, so the bot does not either: signalbox serve --background')
  else {
    context.out(`the bot is ${telegram.state}${telegram.detail ? ` (${visibleText(telegram.detail)})` : ''}`)
    const next = nextFor(telegram)
    if (next !== null) context.out(context.style('dim', `  next: ${next}`))
  }
  const paired = people.filter(({ telegram: accounts }) => accounts.length > 0)
  if (paired.length === 0) context.out('nobody is paired, so it answers nobody')
  for (const { name, role, telegram: accounts } of paired)
    context.out(`  ${visibleText(name)} · ${role} · ${accounts.join(', ')}`)
  return EXIT.ok
}

/** What a person can do about a bot that does not hear. */
function nextFor({ state, detail = '' }: { state: string; detail?: string }): string | null {
  if (state === 'unauthorized') return 'BotFather gives a new token: /token there, then signalbox telegram setup here'
  if (state !== 'deaf') return null
  if (detail.includes('webhook')) return 'signalbox telegram setup asks whether to remove it'
  if (detail.includes('another program')) return 'stop the other program; within a minute after that it hears again'
  return 'it goes on trying by itself'
}

/** Says something to everybody who is paired, so that one sees it on the phone. */
async function test(context: CommandContext, home: Home, isJson: boolean): Promise<number> {
  const api = openApi(home)
  const accounts = new People(home.directories.config).all().flatMap(({ telegram }) => telegram)
  if (accounts.length === 0)
    throw new SignalboxError('E_STATE', 'nobody is paired', { next: 'signalbox telegram pair' })
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

/** Who tried what is not theirs to do, newest last: strangers, viewers, forwarded words, stale and forged buttons. */
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
  else if (rows.length === 0) context.out('nobody tried anything that is not theirs to do')
  else {
    for (const { at, account, person, chat, reason } of rows) {
      const who = `${person === null ? 'stranger' : visibleText(person)} (${account ?? '?'})`
      const where = chat === null || chat === account ? '' : ` in ${chat}`
      const time = new Date(at).toISOString().slice(0, 19).replace('T', ' ')
      context.out(`${context.style('dim', `${time}Z`)}  ${who}${where}: ${visibleText(reason)}`)
    }
    if (found.length > rows.length) context.out(`${found.length - rows.length} more before these`)
  }
  return EXIT.ok
}

function unpair(context: CommandContext, home: Home, account: number, isJson: boolean): number {
  const isGone = new People(home.directories.config).unpair(account)
  if (isJson) context.json({ unpaired: isGone ? account : null })
  else context.out(isGone ? `${account} can do nothing here any more` : `${account} was not paired`)
  return isGone ? EXIT.ok : EXIT.failed
}

function pairAccount(
  context: CommandContext,
  home: Home,
  account: number,
  { name, role = 'approver' }: { name: string; role: PersonRole | undefined },
): number {
  new People(home.directories.config).pair(account, { name, role })
  context.out(`${visibleText(name)} (id ${account}) is ${role} now; the bot speaks to them once they wrote to it`)
  return EXIT.ok
}

/** From a token to a paired phone. */
async function setup(context: CommandContext, home: Home, role: PersonRole | undefined): Promise<number> {
  needPerson(context)
  let token = await tokenThatWorks(context, home)
  if (token === null) {
    context.out('1. In Telegram, talk to @BotFather: /newbot makes a bot and shows its token.')
    token = checked((await ask(context, 'Its token (not shown): ', { isSecret: true })).trim(), 'your answer')
    await nameOf(openBotApi({ token, apiRoot: home.loaded.config.telegram.api_root }))
    const file = join(home.directories.config, 'telegram-token')
    writeFileSync(file, `${token}\n`, { mode: 0o600, flag: 'w' })
    const settings = join(home.directories.config, 'config.toml')
    editSettings(settings, { 'telegram.token_file': file }, { version: null, isAtTerminal: true })
    context.out(context.style('dim', `kept in ${file}, which only you can read`))
  }
  const api = openBotApi({ token, apiRoot: home.loaded.config.telegram.api_root })
  const name = await nameOf(api)
  context.out(`2. The bot is @${name}.`)
  const { url } = await api.call<{ url: string }>('getWebhookInfo', {})
  if (url) {
    const answer = await ask(context, 'A webhook is set for it, so it hears nothing here. Remove it? [y/N] ')
    if (/^y/i.test(answer)) await api.call('deleteWebhook', { drop_pending_updates: false })
  }
  await withNewSettings(context, { isNeeded: url !== '' })
  return pairPhone(context, openHome(context), role)
}

/** What is kept, unless Telegram does not know it any more: then another one is asked for. */
async function tokenThatWorks(context: CommandContext, home: Home): Promise<string | null> {
  const token = botToken(home)
  if (token === null) return null
  try {
    await nameOf(openBotApi({ token, apiRoot: home.loaded.config.telegram.api_root }))
    return token
  } catch (error) {
    if (!(error instanceof SignalboxError) || error.code !== 'E_CONFIG' || home.loaded.config.telegram.token !== null)
      throw error
    context.out('Telegram does not know the token any more that is kept here.')
    return null
  }
}

/** The code is shown here, sent from the phone, and confirmed here: only that yes lets the account in. */
async function pairPhone(context: CommandContext, home: Home, role: PersonRole | undefined): Promise<number> {
  needPerson(context)
  const name = await nameOf(openApi(home))
  const client = await DaemonClient.connect(context)
  const look = (action: 'open' | 'close') => client.post<Pairing>('/pairing/telegram', { action })
  await connected(client)
  const { code } = await look('open')
  context.out(`3. On the phone, open https://t.me/${name}?start=${code}`)
  context.out(`   or send ${context.style('bold', code ?? '')} to @${name}. It is good for ten minutes, once.`)
  for (;;) {
    const state = await look('open')
    if (state.code !== code)
      throw new SignalboxError('E_TIMEOUT', 'the code is not good any more', { next: 'signalbox telegram pair' })
    if (state.candidate) {
      const { id, name: who } = state.candidate
      const answer = await ask(context, `Pair ${visibleText(who)} (id ${id})? [y/N] `)
      await look('close')
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
    await delay(systemClock, LOOK_MS)
  }
}

/** A daemon that runs knows the settings of its start, and rests before it tries again to hear. */
async function withNewSettings(context: CommandContext, { isNeeded }: { isNeeded: boolean }): Promise<void> {
  const client = await DaemonClient.running(context)
  if (!client) return
  const { telegram } = await client.get<Health>('/health')
  if (!isNeeded && telegram && telegram.state !== 'off' && telegram.state !== 'unauthorized') return
  context.out('The daemon starts anew, to have the bot; sessions go on.')
  await client.post('/shutdown')
  while (await client.isUp()) await delay(systemClock, 50)
}

async function connected(client: DaemonClient): Promise<void> {
  const deadline = systemClock.monotonic() + CONNECT_MS
  for (;;) {
    const { telegram } = await client.get<Health>('/health')
    if (telegram?.state === 'connected') return
    if (systemClock.monotonic() > deadline)
      throw new SignalboxError('E_STATE', `the bot does not hear: ${telegram?.detail ?? telegram?.state}`, {
        next: 'signalbox telegram status',
      })
    await delay(systemClock, 100)
  }
}

function openApi(home: Home): BotApi {
  const token = botToken(home)
  if (token === null) throw new SignalboxError('E_CONFIG', 'there is no bot yet', { next: 'signalbox telegram setup' })
  return openBotApi({ token, apiRoot: home.loaded.config.telegram.api_root })
}

async function nameOf(api: BotApi): Promise<string> {
  try {
    return (await api.call<{ username: string }>('getMe', {})).username
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error
    if (error.code === 401 || error.code === 404)
      throw new SignalboxError('E_CONFIG', 'Telegram does not know this token', {
        next: 'copy it again from BotFather',
      })
    throw new SignalboxError('E_NETWORK', `Telegram does not answer: ${error.message}`, { next: 'try again later' })
  }
}

function accountOf(id: string | undefined): number {
  if (id !== undefined && /^\d{1,15}$/.test(id)) return Number(id)
  throw new SignalboxError('E_INPUT', 'an account is named by its number; names are never compared', {
    next: 'signalbox telegram status lists those that are paired',
  })
}

function needPerson(context: CommandContext): void {
  if (!context.isInteractive)
    throw new SignalboxError('E_NEEDS_HUMAN', 'pairing asks a person at a terminal', {
      next: 'run it in a terminal, or name the account: signalbox telegram pair <id> --name Ann',
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
