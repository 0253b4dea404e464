import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { askRestate } from '../../src/engine/restate/restate-client.js'
import { People } from '../../src/people/index.js'
import { FakeBotApi } from '../../src/telegram/fake/index.js'
import { ClusterUnderTest } from '../cluster/cluster-under-test.js'
import { waitFor } from '../e2e/harness.js'
import { describeNeeding } from '../support/requirements.js'
import { closeProfiles, logIn, openBrowser, openContext, show } from './harness.js'

const SECRET = 'canary-8f3a1c77d2b0-of-the-environment'
const PROMPT = 'canary prompt 5521'

/** As the engine prints bytes. */
const hexOf = (text: string) => Buffer.from(text).toString('hex')

const GATE = (name: string) => `digraph g { label="${name}" start [shape=Mdiamond]; done [shape=Msquare]
  ask [shape=hexagon, label="Go on with ${name}?"]; start -> ask; ask -> done [label="[Y] Yes"] }`

describeNeeding('chromium', 'pages and bot of several servers', () => {
  describeNeeding('restate', 'with Restate', () => {
    let cluster: ClusterUnderTest
    let browser: Browser
    let telegram: FakeBotApi
    let first: Page
    let second: Page

    beforeAll(async () => {
      telegram = new FakeBotApi()
      const [apiRoot, opened] = await Promise.all([telegram.start(), openBrowser()])
      browser = opened
      cluster = await ClusterUnderTest.start('restate', {
        workers: 1,
        env: root => {
          const tokenFile = join(root, 'bot-token')
          writeFileSync(tokenFile, telegram.token, { mode: 0o600 })
          return {
            SIGNALBOX_TELEGRAM_TOKEN_FILE: tokenFile,
            SIGNALBOX_TELEGRAM_API_ROOT: apiRoot,
            CANARY_API_KEY: SECRET,
          }
        },
      })
      ;[first, second] = (await Promise.all(['server-1', 'server-2'].map(logInAt))) as [Page, Page]
    })
    afterAll(async () => {
      await closeProfiles(browser)
      await cluster?.close()
      await telegram?.stop()
    })

    async function logInAt(server: string): Promise<Page> {
      const client = await waitFor(server, () => cluster.client(server))
      const { url } = await client.post<{ url: string }>('/auth/links', {})
      return logIn(await openContext(browser), url)
    }

    /** What a table of the engine contains. */
    async function inEngine(table: string): Promise<string> {
      const socketPath = join(cluster.home('server-2'), 'data', 'engine', 'node-2', 'admin.sock')
      const body = { query: `SELECT * FROM ${table}` }
      const asked = { method: 'POST', path: '/query', body, timeoutMs: 20_000 }
      return (await askRestate({ socketPath }, asked).catch(() => null))?.text ?? ''
    }

    /** The server that runs the bot. */
    async function botAt(): Promise<string | null> {
      for (const name of cluster.servers) {
        const client = await cluster.client(name)
        const health = await client?.get<{ telegram: { state: string } }>('/health').catch(() => null)
        if (health?.telegram.state === 'connected') return name
      }
      return null
    }

    it('show every run, including runs from the time in which the server of the page was dead', async () => {
      for (const page of [first, second]) await show(page, '/runs')
      cluster.kill('server-1')
      await first.getByText('Offline since').waitFor()
      const runs: string[] = []
      for (const name of ['alpha', 'beta', 'gamma'])
        runs.push(await cluster.startRun(() => GATE(name), { server: 'server-2' }))
      for (const page of [second, first]) for (const run of runs) await page.locator(`a[href="/r/${run}"]`).waitFor()
      await first.getByText('Offline since').waitFor({ state: 'detached' })
      expect(await first.locator('main').innerText()).not.toContain('server=')
    })

    it('keep contents of runs out of the engine, and secrets out of the logs and the database', async () => {
      const run = await cluster.startRun(
        () => `digraph g { goal="${PROMPT}" start [shape=Mdiamond]; done [shape=Msquare]
          one [shape=parallelogram, tool_command="echo $CANARY_API_KEY; echo ${PROMPT}"]
          ask [shape=hexagon, label="${PROMPT}", "human.timeout"="1h", "human.default_choice"="done"]
          start -> one -> ask; ask -> done [label="[Y] Yes"] }`,
      )
      await cluster.gateOf(run)
      const client = await cluster.anyClient()
      const invited = await client.post<{ link: string }>('/workers/invite', {})
      const token = new URL(invited.link).hash.slice(1).split('.')[0]!
      const store = await cluster.openStore()
      const events = await store.readAll({ after: 0, limit: 10_000 })
      await store.close()
      const log = JSON.stringify(events)
      expect(log).toContain(PROMPT)
      expect([SECRET, token, telegram.token].filter(secret => log.includes(secret))).toEqual([])
      const found = (text: string) =>
        execFileSync('sh', ['-c', `grep -rlaF -e "$0" "$1" || true`, text, cluster.root], { encoding: 'utf8' })
          .split('\n')
          .filter(path => path !== '' && !path.endsWith('bot-token'))
      expect([...found(SECRET), ...found(token), ...found(telegram.token)]).toEqual([])
      expect(found(PROMPT).filter(path => /\/engine\/|\.log$/.test(path))).toEqual([])
      // Its files are compressed, so it is asked, too: it will wake the run at the time of its
      // gate. It has the id, and no content.
      await waitFor('the engine to have the run', async () => (await inEngine('sys_invocation')).includes(run))
      for (const table of ['sys_invocation', 'sys_journal', 'state'])
        expect(await inEngine(table)).not.toMatch(new RegExp([PROMPT, SECRET, hexOf(PROMPT), hexOf(SECRET)].join('|')))
      const key = JSON.parse(readFileSync(join(cluster.home('worker-1'), 'state', 'worker.json'), 'utf8')).key as string
      expect(found(key.split('\n')[1]!).map(path => path.slice(cluster.root.length))).toEqual([
        expect.stringMatching(/worker-1\/state\/worker\.json$/),
      ])
    })

    it('accept a decision in a chat once, also when the server that runs the bot dies', async () => {
      const ann = telegram.person(4711, 'Ann')
      // At any server: the others learn it.
      new People(join(cluster.home('server-2'), 'config')).pair(4711, { name: 'Ann', role: 'owner' })
      for (const name of cluster.servers)
        await waitFor(
          `${name} to know Ann`,
          () => new People(join(cluster.home(name), 'config')).byTelegram(4711) !== null,
        )
      const holder = await waitFor('the bot', () => botAt())
      ann.say('/start')
      await waitFor('an answer', () => ann.chat.messages.some(({ from }) => from.isBot))
      const run = await cluster.startRun(() => GATE('delta'))
      const card = await waitFor('the card', () =>
        ann.chat.messages.find(({ text, markup }) => text.includes('delta') && markup?.inline_keyboard?.length),
      )
      cluster.kill(holder)
      ann.press(card, 'Yes')
      await waitFor('the run to end', async () =>
        (await cluster.runs()).find(({ id, status }) => id === run && status === 'completed'),
      )
      const store = await cluster.openStore()
      const answers = (await store.readStream(`run/${run}`)).filter(({ type }) => type === 'gate.answered')
      await store.close()
      expect(answers).toHaveLength(1)
      expect(ann.chat.messages.filter(({ text }) => text.includes('Go on with delta'))).toHaveLength(1)
    })
  })
})
