import { appendFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AgentHome } from './agent-home.js'
import { plainWords } from './agent-turns.js'
import { FakeModel } from './fake-models/fake-model.js'
import { AGENTS } from './table/index.js'
import { wantedOf } from './wanted.js'

/*
 * Every theme that an agent ships with: a prompt arrives and its answer is whole, `read` prints
 * that answer and nothing else, and an approval is carried out. `SIGNALBOX_TEST_THEMES` is a
 * regular expression that selects some.
 */

const ONLY = process.env.SIGNALBOX_TEST_THEMES
const ANSWER = 'The first paragraph is short.\n\n- one item\n- another item\n\nThe last paragraph has `code`.'

const themed = wantedOf(AGENTS).flatMap(agent => (agent.themes ? [{ ...agent, themes: agent.themes }] : []))
if (themed.length === 0) test.skip('no named agent has themes', () => undefined)

describe.each(themed)('$name', agent => {
  const model = new FakeModel()
  const failures: { kind: string; prompt: string; what: string; screen: string }[] = []
  const counts = { themes: 0, sent: 0, read: 0, approved: 0 }
  let home: AgentHome

  beforeAll(async () => {
    home = new AgentHome(agent, await model.listen())
  })

  afterAll(async () => {
    const file = process.env.SIGNALBOX_TEST_MATRIX
    const record = { agent: agent.name, version: agent.version, ...counts, load: loadavg()[0], failures }
    if (file) appendFileSync(file, `${JSON.stringify(record)}\n`)
    home?.keep('themes')
    await home?.close()
    await model.close()
  })

  const names = agent.themes.names.filter(name => ONLY === undefined || new RegExp(ONLY).test(name))
  test.each(names.map((theme, at) => ({ theme, at })))(
    'prompts, answers and approvals work in the theme $theme',
    { timeout: 900_000 },
    async ({ theme, at }) => {
      const before = failures.length
      agent.themes.choose(home.place, theme)
      counts.themes++
      const { id: session } = await home.begin()
      const fail = async (kind: string, what: string) =>
        void failures.push({ kind: `theme ${theme}, ${kind}`, prompt: theme, what, screen: await home.screen(session) })

      const key = `T${at}Q`
      model.when(key, { text: ANSWER })
      const prompt = `What is ${key}?\nSay it in three parts.`
      const sent = await home.send(session, prompt)
      const isWhole = sent.code === 0 && plainWords(sent.stdout).join(' ') === plainWords(ANSWER).join(' ')
      if (isWhole && model.timesSaid(key) === 1) counts.sent++
      else await fail('send', `exit ${sent.code} ${sent.stderr} ${JSON.stringify(sent.stdout)}`)

      const read = (await home.run(['read', session])).stdout
      if (plainWords(read).join(' ') === plainWords(ANSWER).join(' ')) counts.read++
      else await fail('read', JSON.stringify(read))

      if (!agent.asksNothing) {
        const asked = `A${at}Q`
        const file = `theme-${at}.txt`
        const command = `node -e "require('fs').appendFileSync('${file}','x')"`
        model.when(asked, { text: 'I run it.', tool: agent.shell(command, home.place) }, { text: 'Done.' })
        const waiting = await home.send(session, `Please do the ${asked} thing`)
        const request = waiting.code === 4 ? await home.onePending(session) : null
        const words = request && ['approve', request.id, '--fingerprint', request.fingerprint, '--json']
        const state = words
          ? (await home.json<{ state: string }>(words)).state
          : `exit ${waiting.code} ${waiting.stderr}`
        await home.waitUntil(session, 'idle')
        if (state === 'applied' && home.file(file) === 'x') counts.approved++
        else await fail('approve', `${state}, the file is ${home.file(file)}`)
      }
      await home.run(['stop', session])
      expect(failures.slice(before).map(({ kind, what }) => `${kind}: ${what}`)).toEqual([])
    },
  )
})
