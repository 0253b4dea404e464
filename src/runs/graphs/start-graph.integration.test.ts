import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../clock/index.js'
import { getRun, runStream } from '../../engine/index.js'
import { type Graph, parseDot, printDot, textOf } from '../../graph/index.js'
import { openHome } from '../../host/home/index.js'
import { openHomeStore } from '../../host/index.js'
import type { EventStore } from '../../store/index.js'
import type { Asker, StartContext } from '../start-context.js'
import { loadGraph, lookForPrompt } from './load-graph.js'
import { checkInputs, type GraphOptions, limitsOf, startGraph, transformGraph } from './start-graph.js'

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-start-graph-'))
  mkdirSync(join(directory, 'project'))
  writeFileSync(join(directory, 'project/plan.md'), 'Plan it well.')
  writeFileSync(join(directory, 'secret.md'), 'x')
  symlinkSync('../secret.md', join(directory, 'project/link.md'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const attributeOf = (graph: Graph, key: string) => textOf(graph.nodes.get('n')!.attributes, key)

test('transforms apply in order (prompt files, stylesheet, own ones) and do not change the parsed graph', () => {
  const { graph } = parseDot('digraph { graph [model_stylesheet="* { llm_model: sheet }"]; n [prompt="@plan.md"] }')
  const before = printDot(graph)
  const seen: string[] = []
  const look = (name: string) => (given: Graph) => {
    seen.push(`${name}: ${attributeOf(given, 'prompt')} ${attributeOf(given, 'llm_model')}`)
    const node = given.nodes.get('n')!
    const model = { value: name, isQuoted: true, position: null, origin: 'transform' as const }
    return {
      ...given,
      nodes: new Map([['n', { ...node, attributes: new Map(node.attributes).set('llm_model', model) }]]),
    }
  }
  const made = transformGraph(graph, join(directory, 'project'), [look('first'), look('second')])
  expect(seen).toEqual(['first: Plan it well. sheet', 'second: Plan it well. first'])
  expect(attributeOf(made, 'llm_model')).toBe('second')
  expect(printDot(graph)).toBe(before)
})

test.each([
  ['plan.md', 'ok'],
  ['gone.md', 'missing'],
  ['../secret.md', 'outside'],
  ['link.md', 'outside'],
])('a prompt in %s is %s', (file, expected) => {
  const project = join(directory, 'project')
  expect(lookForPrompt(file, project, project)).toBe(expected)
})

test('declared inputs are required; given limits replace those of the graph', () => {
  const { graph } = parseDot('digraph { graph [inputs="ticket, who", max_cost=5, max_time=2m]; a }')
  expect(() => checkInputs(graph, { ticket: '1' })).toThrow('the graph needs who')
  expect(checkInputs(graph, { ticket: '1', who: 'me' })).toEqual({ ticket: '1', who: 'me' })
  expect(limitsOf(graph, { costUsd: 1 })).toEqual({ costUsd: 1, timeMs: 120_000 })
})

describe('starting a graph', () => {
  const DOT =
    'start [shape=Mdiamond]; exit [shape=Msquare]; t [shape=parallelogram, tool_command="true"]; start -> t -> exit'
  let store: EventStore
  let context: StartContext
  let daemons = 0

  beforeAll(async () => {
    const env = { SIGNALBOX_HOME: join(directory, 'home'), HOME: directory, PATH: process.env.PATH }
    const home = openHome({ env })
    const { dataDirectory } = home.settings
    store = await openHomeStore({ dataDirectory, clock: systemClock, onError: () => undefined })
    const requireDaemon = async () => void daemons++
    const cwd = join(directory, 'project')
    context = { store, home, env, cwd, clock: systemClock, person: 'ada', asker: null, requireDaemon }
  })
  afterAll(() => store.close())

  const start = async (body: string, options: GraphOptions = {}, asker: Asker | null = null) =>
    startGraph({ ...context, asker }, await loadGraph(context, { text: body, path: null, name: 'the graph' }), options)
  const answering = (answer: boolean, asked: string[] = []): Asker => ({
    trust: async ({ found }) => {
      asked.push(found.hash)
      return answer
    },
    confirm: async () => answer,
  })

  test('asks for trust if a person is present, and otherwise fails with the hash', async () => {
    const dot = `digraph a { ${DOT} }`
    const refused = await start(dot).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'E_UNTRUSTED', details: { hash: expect.stringMatching(/^[0-9a-f]{64}$/) } })
    await expect(start(dot, {}, answering(false))).rejects.toMatchObject({
      code: 'E_UNTRUSTED',
      message: 'nothing was run',
    })
    const asked: string[] = []
    await start(dot, {}, answering(true, asked))
    await start(dot, {}, answering(false, asked))
    expect(asked).toEqual([(refused as { details: { hash: string } }).details.hash])
  })

  test('keeps person, labels and limits; the process that starts the run drives it', async () => {
    const options = { labels: { team: 'x' }, limits: { costUsd: 2 } }
    const { id, driver } = await start(`digraph b { graph [max_tokens=9]; ${DOT} }`, options, answering(true))
    expect([driver, daemons]).toEqual(['caller', 0])
    expect(await getRun(store, id)).toMatchObject({ person: 'ada', labels: { team: 'x' }, title: 'b' })
    const [created] = await store.readStream(runStream(id), { limit: 1 })
    expect(created!.data).toMatchObject({ limits: { costUsd: 2, tokens: 9 } })
  })

  test('leaves agents in terminals to the daemon, which must be running before the run is created', async () => {
    const live = DOT.replace('start -> t', 'a [prompt=x, live=true]; start -> a -> t')
    const { id, driver } = await start(`digraph c { ${live} }`, {}, answering(true))
    expect([driver, daemons]).toEqual(['daemon', 1])
    expect((await getRun(store, id)).labels).toEqual({ host: 'daemon' })
  })

  test('refuses a graph with errors, with every diagnostic', async () => {
    await expect(start('digraph { a -> b }')).rejects.toMatchObject({
      code: 'E_GRAPH',
      message: expect.stringContaining('nothing was started: the graph has an error'),
      details: { diagnostics: expect.arrayContaining([expect.objectContaining({ severity: 'error' })]) },
    })
  })
})
