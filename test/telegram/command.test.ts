import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { main } from '../../src/cli/main.js'
import { SimulatedClock } from '../../src/clock/index.js'
import { People } from '../../src/people/index.js'
import { FakeBotApi } from '../../src/telegram/fake/index.js'
import { Pairing } from '../../src/telegram/incoming/pairing.js'
import { type Intent, parseUpdate } from '../../src/telegram/incoming/parse-update.js'

const directory = mkdtempSync(join(tmpdir(), 'signalbox-telegram-command-'))
const home = join(directory, 'home')
const fake = new FakeBotApi()
const tokenFile = join(directory, 'token')

beforeAll(async () => {
  const apiRoot = await fake.start()
  writeFileSync(tokenFile, `${fake.token}\n`, { mode: 0o600 })
  mkdirSync(join(home, 'config'), { recursive: true, mode: 0o700 })
  const settings = `[telegram]\ntoken_file = ${JSON.stringify(tokenFile)}\napi_root = ${JSON.stringify(apiRoot)}\n`
  writeFileSync(join(home, 'config', 'config.toml'), settings, { mode: 0o600 })
})
afterAll(async () => {
  await fake.stop()
  rmSync(directory, { recursive: true, force: true })
})

async function signalbox(...args: string[]): Promise<{ code: number; out: string }> {
  const lines: string[] = []
  const say = (line: string | Uint8Array) => void lines.push(String(line))
  const code = await main(args, {
    env: { PATH: process.env.PATH, HOME: directory, SIGNALBOX_HOME: home },
    cwd: directory,
    isInteractive: false,
    isOutputTty: false,
    columns: 80,
    out: say,
    write: say,
    note: say,
    progress: say,
    json: value => say(JSON.stringify(value)),
    style: (_, text) => text,
  })
  return { code, out: lines.join('\n') }
}

it('the command pairs an account by its id, sends it a message, and unpairs it', async () => {
  expect((await signalbox('telegram')).out).toContain('the bot does not answer until an account is paired')
  expect(await signalbox('telegram', 'pair', '4711', '--name', 'Ann', '--role', 'owner')).toMatchObject({ code: 0 })
  const file = join(home, 'config', 'people.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(JSON.parse(readFileSync(file, 'utf8')).people).toMatchObject([
    { name: 'Ann', role: 'owner', telegram: [4711] },
  ])
  const ann = fake.person(4711, 'Ann')
  expect(await signalbox('telegram', 'test')).toMatchObject({ code: 0, out: '4711: sent' })
  expect(ann.chat.messages.map(({ text }) => text)).toEqual(['Signalbox can reach you.'])
  expect((await signalbox('telegram', 'unpair', '4711')).out).toContain('is no longer paired')
  expect(JSON.parse((await signalbox('telegram', '--json')).out)).toMatchObject({ hasToken: true, isRunning: false })
})

it('an account name, pairing without a person and a token file that others can read are refused', async () => {
  expect((await signalbox('telegram', 'pair', '@ann')).out).toContain('names are not accepted')
  expect(await signalbox('telegram', 'setup')).toMatchObject({ code: 4 })
  chmodSync(tokenFile, 0o644)
  const { out, code } = await signalbox('telegram', 'test')
  chmodSync(tokenFile, 0o600)
  expect(code).toBe(6)
  expect(out).toContain('other users can read')
  expect(out).not.toContain(fake.token)
})

const said = (text: string, fields: Record<string, unknown> = {}): Intent =>
  parseUpdate(
    {
      update_id: 1,
      message: {
        message_id: 1,
        date: 0,
        chat: { id: 7, type: 'private' },
        from: { id: 7, is_bot: false, first_name: 'Eve' },
        text,
        ...fields,
      },
    },
    { id: 1, username: 'box_bot' },
  )!

it('a pairing window accepts its code once, in a private chat, and closes after 5 errors or 10 min', () => {
  const clock = new SimulatedClock()
  const pairing = new Pairing(new People(join(home, 'config')), clock)
  expect(pairing.tryCode(said('ABCDEFGH'))).toBe(false)
  const { code } = pairing.open()
  expect(code).toMatch(/^[ACDEFGHJKMNPQRTUVWXY34679]{8}$/)
  expect(pairing.tryCode(said(code!, { forward_origin: { type: 'user' } }))).toBe(false)
  expect(pairing.tryCode(said(code!, { chat: { id: -5, type: 'group' } }))).toBe(false)
  expect(() => pairing.confirm(code!)).toThrow('this code has not been sent to the bot')
  expect(pairing.tryCode(said(`/start ${code!.toLowerCase()}`))).toBe(true)
  expect(pairing.open().candidate).toEqual({ id: 7, name: 'Eve' })
  expect(pairing.confirm(code!)).toMatchObject({ name: 'Eve', role: 'owner', telegram: [7] })
  expect(pairing.tryCode(said(code!))).toBe(false)
  pairing.open()
  for (let tries = 0; tries < 5; tries++) pairing.tryCode(said('AAAAAAAA'))
  expect(pairing.state()).toMatchObject({ isOpen: false, closed: 'too many wrong codes' })
  pairing.open()
  clock.advance(10 * 60_000)
  expect(pairing.state()).toMatchObject({ isOpen: false, closed: 'it expired' })
})
