import { readFileSync, writeFileSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import type { ApprovalRecord, ProposedDecision } from '../../approvals/index.js'
import { newNonce, systemClock } from '../../clock/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { Git } from '../../git/index.js'
import { drawDot, type Graph, parseDot, printDot } from '../../graph/index.js'
import { openHome } from '../../host/home/index.js'
import { builtInPipelines, findPrompt, promptHash, promptIds, readIssueFile } from '../../pipelines/index.js'
import {
  drawMarkdown,
  drawSvg,
  projectPipeline,
  projectPipelines,
  promptDirectory,
  readPrompt,
  setPlan,
} from '../../runs/index.js'
import { visibleText } from '../../text/index.js'
import { decideThroughDaemon } from '../approvals/daemon-decider.js'
import { localDecider, localPerson } from '../approvals/local-person.js'
import type { CommandContext } from '../context.js'
import { unknownAction } from '../parse-options.js'
import { findRunFor, withStore } from '../runs/with-store.js'
import type { InputOf } from '../specs/index.js'

type Options = InputOf<'pipelines'>['options']

export async function run(context: CommandContext, { args, options }: InputOf<'pipelines'>): Promise<number> {
  const { action = 'list', name, file } = args
  switch (action) {
    case 'list':
      return list(context, options)
    case 'show':
      return show(context, required('name', name, 'pipelines show implementation'), options)
    case 'eject': {
      const graph = await graphOf(context, required('name', name, 'pipelines eject implementation'))
      context.write(printDot(graph))
      return EXIT.ok
    }
    case 'prompts':
      return prompts(context, name, options)
    case 'set-plan': {
      const example = 'pipelines set-plan <run> plan.md'
      return replacePlan(context, required('run', name, example), required('file', file, example))
    }
    default:
      throw unknownAction(action, ['list', 'show', 'eject', 'prompts', 'set-plan'])
  }
}

function required(argument: string, value: string | undefined, example: string): string {
  if (value !== undefined) return value
  throw new SignalboxError('E_INPUT', `the argument <${argument}> is missing`, { next: `signalbox ${example}` })
}

async function list(context: CommandContext, { json }: Options): Promise<number> {
  const shipped = builtInPipelines().listPipelines()
  const own = projectPipelines(await rootOf(context)).filter(({ name }) => !shipped.some(known => known.name === name))
  if (json) context.json([...shipped, ...own])
  else {
    for (const { name, description } of shipped) context.out(`${context.style('bold', name.padEnd(15))} ${description}`)
    for (const { name, description, inputs } of own) {
      const needs = inputs.length === 0 ? '' : ` (--input ${inputs.map(input => `${input}=…`).join(' --input ')})`
      context.out(`${context.style('bold', name.padEnd(15))} ${visibleText(description)}`)
      context.note(`  of this project; run it: signalbox run ${name}${needs}`)
    }
  }
  return EXIT.ok
}

async function rootOf({ cwd }: CommandContext): Promise<string> {
  return (await new Git(cwd).root()) ?? cwd
}

/** The graph of a pipeline that ships, or that the project registers. */
async function graphOf(context: CommandContext, name: string): Promise<Graph> {
  const shipped = builtInPipelines()
  const own = shipped.has(name) ? null : projectPipeline(await rootOf(context), name)
  return own ? parseDot(readFileSync(own.file, 'utf8')).graph : shipped.getPipeline(name).createGraph()
}

async function show(context: CommandContext, name: string, { output }: Options): Promise<number> {
  const graph = await graphOf(context, name)
  const kind = output === undefined ? '.md' : extname(output).toLowerCase()
  if (!['.svg', '.dot', '.md'].includes(kind))
    throw new SignalboxError('E_INPUT', `unknown format "${kind || output}"`, { next: 'use .svg, .dot or .md' })
  const text =
    kind === '.svg' ? (await drawSvg(graph, {})).svg : kind === '.dot' ? drawDot(graph, {}) : drawMarkdown(graph, {})
  if (output === undefined) context.write(text)
  else {
    writeFileSync(resolve(context.cwd, output), text)
    context.note(`${output}: ${graph.nodes.size} nodes, ${graph.edges.length} edges`)
  }
  return EXIT.ok
}

/** Lists the prompts, or prints one, to be saved and edited. */
function prompts(context: CommandContext, id: string | undefined, options: Options): number {
  const home = openHome(context)
  const profile = options.profile ?? home.loaded.config.pipelines.profile
  const read = (wanted: string) => {
    const own = readPrompt(home, profile, wanted)
    const used = findPrompt(wanted, own === null ? {} : { [wanted]: { text: own, hash: promptHash(own) } })
    return { ...used, isYours: own !== null }
  }
  if (id !== undefined) {
    if (!promptIds().includes(id))
      throw new SignalboxError('E_UNKNOWN', `unknown prompt "${id}"`, { next: `known: ${promptIds().join(', ')}` })
    const found = read(id)
    if (options.json) context.json(found)
    else context.write(`${found.text}\n`)
    return EXIT.ok
  }
  const all = promptIds().map(read)
  if (options.json) context.json(all.map(({ id: name, hash, isYours }) => ({ id: name, hash, isYours })))
  else {
    for (const each of all) context.out(`${each.id.padEnd(22)} ${each.hash}  ${each.isYours ? 'yours' : 'built in'}`)
    context.note(`your own: ${promptDirectory(home)}/<id>.md, or <profile>/<id>.md for one profile`)
  }
  return EXIT.ok
}

function replacement(gate: ApprovalRecord, text: string): ProposedDecision {
  return {
    fingerprint: gate.fingerprint,
    option: 'replace',
    text,
    seen: { displayHash: gate.display.hash, whole: true },
    ...localDecider(),
    idempotencyKey: newNonce(),
  }
}

async function replacePlan(context: CommandContext, word: string, file: string): Promise<number> {
  const text = readIssueFile(resolve(context.cwd, file), file)
  return withStore(context, async (store, home) => {
    const record = await findRunFor(context, store, word)
    const report = await setPlan({ store, home, env: context.env, clock: systemClock }, record, text, {
      by: localPerson().name,
      replace: (gate, plan) => decideThroughDaemon(context, gate, replacement(gate, plan)),
    })
    if (report) {
      const problem = report.isValid ? '' : `, which is not valid: ${report.issues.join(', ')}`
      context.out(`${record.id} starts with this plan${problem}`)
      context.note(`start it: signalbox resume ${record.id}`)
    } else {
      context.out(`the plan of ${record.id} was replaced`)
      context.note(`follow the run: signalbox logs -f ${record.id}`)
    }
    return EXIT.ok
  })
}
