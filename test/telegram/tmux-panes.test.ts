import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newEvent } from '../../src/events/index.js'
import type { FakePerson } from '../../src/telegram/fake/index.js'
import { describeNeeding } from '../support/requirements.js'
import { TestBot } from './support.js'

/* A program in a tmux pane that asks, and the chat of its person. */
describeNeeding('tmux', 'a tmux pane in the chat', () => {
  let bot: TestBot
  let ann: FakePerson
  let socket: string
  const tmux = (...args: string[]) => execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args])
  const type = (text: string) => tmux('send-keys', '-t', 'work', '-l', '--', text)
  const enter = () => tmux('send-keys', '-t', 'work', 'Enter')

  beforeAll(async () => {
    bot = await TestBot.start()
    ann = bot.person()
    ann.say('/start')
    await bot.seen(ann, 'No request waits')
    mkdirSync(join(bot.directory, 'tmux'))
    socket = join(bot.directory, 'tmux', 'default')
    tmux('new-session', '-d', '-s', 'work', '-c', bot.work, 'env', 'PS1=$ ', 'bash', '--norc', '--noprofile')
    expect(await bot.host.panes!.joinTmux({ sockets: [socket] })).toBe(true)
    await bot.fake.until(() => bot.host.panes!.list().find(({ why }) => why.authority !== 'none'), 'the pane')
  })
  afterAll(async () => {
    tmux('kill-server')
    await bot.close()
  })

  it('has one card while it needs a person; an answer in tmux edits the card', async () => {
    type('read -p "Overwrite the file? [y/N] " x')
    enter()
    const card = await bot.seen(ann, /needs you\nshop · work:0\.0@[^\n]*\nOverwrite the file\?.*\nAnswer it in tmux\./)
    type('y')
    enter()
    await bot.fake.until(
      () => bot.fake.visible(ann.chat).find(({ id, text }) => id === card.id && text.includes('answered')),
      'the card to be edited',
    )
    expect(bot.fake.visible(ann.chat).filter(({ text }) => text.includes('needs you'))).toEqual([])
  })

  it('closes the cards of questions that an earlier daemon asked', async () => {
    type('read -p "Delete the file? [y/N] " x')
    enter()
    const card = await bot.seen(ann, 'Delete the file?')
    await bot.bot.settled()
    await bot.host.store.append('host', 'any', [newEvent('host.started', { pid: 1, version: '0' })])
    await bot.fake.until(
      () => bot.fake.visible(ann.chat).find(({ id, text }) => id === card.id && text.includes('was restarted')),
      'the card to be closed',
    )
  })
})
