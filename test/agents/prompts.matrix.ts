import { appendFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadAgent } from '../../src/agents/index.js'
import { type CommandRun, waitFor } from '../e2e/harness.js'
import { AgentHome } from './agent-home.js'
import { plainWords } from './agent-turns.js'
import { FakeModel } from './fake-models/fake-model.js'
import { AGENTS } from './table/index.js'
import { wantedOf } from './wanted.js'

/*
 * `npm run test:agents -- --matrix`: 50 prompts of all kinds and 20 decisions for each agent. Every
 * prompt arrives once and as it was sent, every answer is the model's, every decision is carried
 * out. All failures of an agent are collected, so that one run gives the whole matrix; the file
 * `SIGNALBOX_TEST_MATRIX` gets one record for each agent. `SIGNALBOX_TEST_KINDS` is a regular
 * expression that selects some kinds of prompts, to look into a failure.
 */

const words = (count: number, name: string) => Array.from({ length: count }, (_, at) => `${name}${at + 1}`).join(' ')

/** Texts by kind; `KEY` is replaced by a word that only this prompt has. */
const KINDS: readonly (readonly [kind: string, texts: readonly string[]])[] = [
  ['plain', ['Tell me about KEY', 'What is KEY, in one sentence?', 'KEY: does it work?', `${words(40, 'long')} KEY`]],
  ['lines', ['First line KEY\nsecond line', 'One KEY\n\nafter a blank line', '1. first KEY\n2. second\n3. third']],
  ['code', ['Explain `npm test` and KEY', 'Fix this KEY:\n```js\nlet x = 1\n```', 'a\tb KEY tab']],
  [
    'unicode',
    ['Grüße an KEY – schön', '请解释 KEY 的作用', 'emoji 👩‍💻 KEY ✅', 'عربي KEY עברית', 'e\u0301 combining KEY'],
  ],
  [
    'marks',
    [
      '/etc/hosts KEY looks wrong',
      '!important KEY rule',
      '@someone KEY said',
      '#42 KEY is open',
      '/ KEY alone',
      '/model KEY is a command of most agents',
    ],
  ],
  ['paste', [`${words(120, 'pasted')} KEY`, `${Array.from({ length: 40 }, (_, at) => `row ${at}`).join('\n')}\nKEY`]],
  ['quotes', [`"quoted" 'single' KEY`, 'back\\slash KEY', '$HOME %PATH% {a} [b] <c> KEY', '--flag KEY -x', '? KEY']],
]
const NARROW = 8
const AFTER_INTERRUPT = 4
const LONG_ANSWERS = 3
const WHILE_COMPACTING = 2
const DECISIONS = 20

const ONLY = process.env.SIGNALBOX_TEST_KINDS
const isWantedKind = (kind: string) => ONLY === undefined || new RegExp(ONLY).test(kind)

interface Failure {
  kind: string
  prompt: string
  what: string
  /** What the agent's terminal showed then. */
  screen?: string
}

const brief = (failures: readonly Failure[]) =>
  failures.map(({ kind, prompt, what }) => `${kind}: ${prompt.slice(0, 60)}: ${what.slice(0, 300)}`)

describe.each(wantedOf(AGENTS))('$name', agent => {
  const model = new FakeModel()
  let home: AgentHome
  let number = 0
  const failures: Failure[] = []
  const counts = { prompts: 0, delivered: 0, answered: 0, decisions: 0, carriedOut: 0 }

  beforeAll(async () => {
    home = new AgentHome(agent, await model.listen())
  })

  afterAll(async () => {
    const record = { agent: agent.name, version: agent.version, ...counts, load: loadavg()[0], failures }
    const file = process.env.SIGNALBOX_TEST_MATRIX
    if (file) appendFileSync(file, `${JSON.stringify(record)}\n`)
    home?.keep('matrix')
    await home?.close()
    await model.close()
  })

  /** Whether the model reached this hold; a turn that never does is listed as a failure. */
  async function hasBegun(session: string, kind: string, hold: string, turn: Promise<CommandRun>): Promise<boolean> {
    let refused: CommandRun | null = null
    void turn.then(run => (refused = run.code === 0 ? null : run))
    await waitFor(hold, () => refused !== null || model.hasReached(hold)).catch(() => undefined)
    if (model.hasReached(hold)) return true
    const { code, stdout, stderr } = await turn
    const what = `the turn never began: exit ${code} ${stderr} ${stdout.slice(0, 200)}`
    await fail(session, { kind, prompt: hold, what })
    return false
  }

  /** Sends one prompt and checks what the model got and what came back. */
  async function ask(
    session: string,
    kind: string,
    text: string,
    { reply, meanwhile }: { reply?: string; meanwhile?: (key: string, turn: Promise<CommandRun>) => unknown } = {},
  ): Promise<void> {
    if (!isWantedKind(kind)) return
    const key = `K${String(++number).padStart(2, '0')}Q`
    const prompt = text.replace('KEY', key)
    const answer = reply ?? `Answer ${number} is about ${key.toLowerCase()} and nothing else.`
    model.when(key, { text: answer })
    counts.prompts++
    const isCommandLike = /^\/(?:\w+)? /.test(prompt)
    const sending = home.run(
      ['send', session, '--wait', '--timeout', '90', ...(isCommandLike ? ['--as', 'text'] : []), '--', prompt],
      { timeoutMs: 120_000 },
    )
    await meanwhile?.(key, sending)
    const run = await sending
    const fold = (given: string) => given.normalize('NFC').replace(/\s+/gu, ' ').trim()
    const times = model.timesSaid(key)
    const isDelivered = times === 1 && model.heard(key).some(seen => fold(seen).includes(fold(prompt)))
    const isAnswered = run.code === 0 && plainWords(run.stdout).join(' ') === plainWords(answer).join(' ')
    if (isDelivered) counts.delivered++
    if (isAnswered) counts.answered++
    if (isDelivered && isAnswered) return
    const what = isDelivered ? 'the answer differs' : `the conversation has the prompt ${times} times`
    const { code, stdout, stderr } = run
    await fail(session, { kind, prompt, what: `${what}: exit ${code} ${stderr.trim()} ${JSON.stringify(stdout)}` })
  }

  async function fail(session: string, failure: Failure): Promise<void> {
    failures.push({ ...failure, screen: await home.screen(session) })
  }

  test('50 prompts are delivered once, and their answers are complete', { timeout: 3_600_000 }, async () => {
    const session = await home.open()
    const texts = KINDS.flatMap(([kind, list]) => list.map(text => [kind, text] as const))
    // Right after the start: nothing waits for the input box.
    await ask(session, 'right after start', 'Right after the start KEY')
    for (const [kind, text] of texts) await ask(session, kind, text)
    for (let at = 0; at < LONG_ANSWERS; at++) {
      const rows = Array.from({ length: 60 + at * 40 }, (_, row) => `${row + 1}. Item ${row + 1} of list ${at}.`)
      await ask(session, 'long answer', 'A long list for KEY', { reply: rows.join('\n') })
    }
    for (let at = 0; isWantedKind('after an interruption') && at < AFTER_INTERRUPT; at++) {
      const hold = `hold-${at}`
      model.when(`ENDLESS${at}E`, { text: 'I begin with a few words.', hold })
      const answer = home.send(session, `Please do the ENDLESS${at}E thing`)
      if (await hasBegun(session, 'an interruption', hold, answer)) await home.run(['interrupt', session])
      await answer
      await ask(session, 'after an interruption', 'Right after the interruption KEY')
    }
    const { compact } = await loadAgent(agent.name)
    for (let at = 0; compact !== undefined && isWantedKind('during compaction') && at < WHILE_COMPACTING; at++) {
      const hold = `compaction-${at}`
      model.whenCompacting(hold)
      const command = home.run(['send', session, '--as', 'command', '--', compact])
      if (!(await hasBegun(session, 'compaction', hold, command))) continue
      const meanwhile = async (key: string, turn: Promise<CommandRun>) => {
        let hasEnded = false
        void turn.then(() => (hasEnded = true))
        const isWaiting = async () =>
          hasEnded ||
          (await home.held(session)).some(text => text.includes(key)) ||
          (await home.screen(session)).includes(key)
        await waitFor('the prompt to wait', isWaiting).catch(() => undefined)
        model.release(hold)
      }
      await ask(session, 'during compaction', 'Meanwhile KEY', { meanwhile })
    }
    const narrow = await home.json<{ id: string }>([
      ...['start', agent.name, '--json', '--size', '40x30', '--'],
      ...(agent.args ?? []),
    ])
    await home.waitUntil(narrow.id, 'idle')
    const mixed = [texts[0]!, texts[3]!, texts[4]!, texts[7]!, texts[11]!, texts[15]!, texts[20]!, texts[22]!]
    for (const [kind, text] of mixed.slice(0, NARROW)) await ask(narrow.id, `40 columns, ${kind}`, text)
    while (ONLY === undefined && number < 50) await ask(session, 'plain', 'And one more KEY')
    await home.run(['stop', narrow.id])
    await home.run(['stop', session])
    expect(brief(failures)).toEqual([])
  })

  test.skipIf(agent.asksNothing || !isWantedKind('decisions'))(
    '20 requests are decided as the person decided',
    { timeout: 3_600_000 },
    async () => {
      const { id: session } = await home.begin()
      const before = failures.length
      for (let at = 0; at < DECISIONS; at++) {
        const isAllowed = at % 2 === 0
        const key = `D${String(at).padStart(2, '0')}Q`
        const file = `decided-${at}.txt`
        const command = `node -e "require('fs').appendFileSync('${file}','x')"`
        model.when(key, { text: 'I run it.', tool: agent.shell(command, home.place) }, { text: `Done with ${key}.` })
        counts.decisions++
        const sent = await home.send(session, `Please do the ${key} thing`)
        const request = sent.code === 4 ? await home.onePending(session).catch(() => null) : null
        if (!request) {
          const what = `no request: exit ${sent.code} ${sent.stderr.trim()}`
          await fail(session, { kind: 'decisions', prompt: key, what })
          continue
        }
        const words = isAllowed ? ['approve', request.id, '--fingerprint', request.fingerprint] : ['deny', request.id]
        const run = await home.run([...words, '--json'])
        const idle = await home.run(['wait', session, '--for', 'idle', '--timeout', '60'])
        const isRight = run.code === 0 && idle.code === 0 && (home.file(file) === 'x') === isAllowed
        if (isRight) {
          counts.carriedOut++
          continue
        }
        const state = /"state":"(\w+)"/.exec(run.stdout)?.[1] ?? run.stderr
        const what = `${words[0]} is ${state}, the file is ${home.file(file)}, idle: exit ${idle.code}`
        await fail(session, { kind: 'decisions', prompt: key, what })
        for (const left of await home.pending()) await home.run(['deny', left.id])
        await home.run(['wait', session, '--for', 'idle', '--timeout', '60'])
      }
      await home.run(['stop', session])
      expect(brief(failures.slice(before))).toEqual([])
    },
  )
})
