import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FakeBotApi } from '../../src/telegram/fake/index.js'
import { describeNeeding } from '../support/requirements.js'
import { TestHome } from './harness.js'
import { TmuxTerminal } from './tmux.js'

/*
 * From a token to a paired phone, in a real terminal and with a real daemon, against a fake
 * Telegram on loopback.
 */
describeNeeding('tmux', 'signalbox telegram setup', () => {
  let home: TestHome
  let terminal: TmuxTerminal
  const fake = new FakeBotApi()

  beforeAll(async () => {
    home = new TestHome()
    const apiRoot = await fake.start()
    mkdirSync(home.path('config'), { recursive: true, mode: 0o700 })
    writeFileSync(home.path('config', 'config.toml'), `[telegram]\napi_root = "${apiRoot}"\n`, { mode: 0o600 })
    terminal = new TmuxTerminal(home, { cols: 110 })
  })
  afterAll(async () => {
    await home.close()
    await fake.stop()
  })

  it('asks for the token unseen, shows a code, and pairs its sender after a confirmation', async () => {
    fake.state.webhook = 'https://example.com/hook'
    terminal.run('telegram', 'setup')
    await terminal.see('The token (not shown):')
    terminal.type(fake.token)
    terminal.key('Enter')
    await terminal.see('The bot is @signalbox_test_bot.')
    await terminal.see('A webhook is set')
    terminal.type('y')
    terminal.key('Enter')
    const screen = await terminal.see(/or send [A-Z0-9]{8} to @signalbox_test_bot/)
    expect(screen).not.toContain(fake.token)
    expect(fake.state.webhook).toBe('')
    const [, code] = /or send ([A-Z0-9]{8}) /.exec(screen)!
    const ann = fake.person(4711, 'Ann')
    ann.say(`/start ${code}`)
    await terminal.see('Pair Ann (id 4711)? [y/N]')
    terminal.type('y')
    terminal.key('Enter')
    await terminal.see('Ann is paired as owner. Send /start to the bot.')
    ann.say('/start')
    await fake.until(
      () => fake.visible(ann.chat).find(({ text }) => text.includes('No session is running')),
      'an answer',
    )
    const tokenFile = home.path('config', 'telegram-token')
    expect(statSync(tokenFile).mode & 0o777).toBe(0o600)
    expect(readFileSync(tokenFile, 'utf8').trim()).toBe(fake.token)
    expect(readFileSync(join(home.home, 'config', 'config.toml'), 'utf8')).not.toContain(fake.token)
    if (process.env.SIGNALBOX_SHOW) writeFileSync(process.env.SIGNALBOX_SHOW, terminal.screen())
  })

  it('the bot restarts with the next daemon and receives the messages sent in between', async () => {
    const ann = fake.person(4711, 'Ann')
    await home.kill(home.daemon)
    ann.say('/usage')
    await home.ok(['serve', '--background'])
    await fake.until(() => fake.visible(ann.chat).find(({ text }) => text.includes('Today: ')), 'an answer')
    expect((await home.json<{ state: string }>(['telegram', '--json'])).state).toBe('connected')
  })
})
