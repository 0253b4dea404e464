import { writeFileSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { drawDot, printDot } from '../../graph/index.js'
import {
  builtInPipelines,
  findPrompt,
  isPipelineRun,
  promptHash,
  promptIds,
  readIssueFile,
  setQueuedPlan,
} from '../../pipelines/index.js'
import { drawMarkdown, drawSvg, RunGates } from '../../runs/index.js'
import { localPerson } from '../approvals/local-person.js'
import type { CommandContext } from '../context.js'
import { openHome } from '../home.js'
import { promptDirectory, readPrompt } from '../pipelines/read-profile.js'
import { findRunFor, homeLedger, withStore } from '../runs/open-runs.js'
import type { CommandInput } from '../specs/command-spec.js'

export async function run(context: CommandContext, { args, options }: CommandInput): Promise<number> {
  const action = (args.action as string | undefined) ?? 'list'
  const name = args.name as string | undefined
  switch (action) {
    case 'list':
      return list(context, options)
    case 'show':
      return show(context, needed(name, 'pipelines show implementation'), options)
    case 'eject':
      context.write(
        printDot(builtInPipelines().getPipeline(needed(name, 'pipelines eject implementation')).createGraph()),
      )
      return EXIT.ok
    case 'prompts':
      return prompts(context, name, options)
    case 'set-plan':
      return setPlan(
        context,
        needed(name, 'pipelines set-plan <run> plan.md'),
        needed(args.file as string | undefined, 'pipelines set-plan <run> plan.md'),
      )
    default:
      throw new SignalboxError('E_INPUT', `pipelines cannot "${action}"`, {
        next: 'list, show, eject, prompts or set-plan',
      })
  }
}

function needed(value: string | undefined, example: string): string {
  if (value !== undefined) return value
  throw new SignalboxError('E_INPUT', 'something is missing', { next: `signalbox ${example}` })
}

function list(context: CommandContext, options: Record<string, unknown>): number {
  const pipelines = builtInPipelines().listPipelines()
  if (options.json) context.json(pipelines)
  else
    for (const { name, description } of pipelines)
      context.out(`${context.style('bold', name.padEnd(15))} ${description}`)
  return EXIT.ok
}

async function show(context: CommandContext, name: string, options: Record<string, unknown>): Promise<number> {
  const graph = builtInPipelines().getPipeline(name).createGraph()
  const output = options.output as string | undefined
  const kind = output === undefined ? '.md' : extname(output).toLowerCase()
  if (!['.svg', '.dot', '.md'].includes(kind))
    throw new SignalboxError('E_INPUT', `a pipeline cannot be drawn as ${kind || output}`, {
      next: 'one of .svg, .dot, .md',
    })
  const text =
    kind === '.svg' ? (await drawSvg(graph, {})).svg : kind === '.dot' ? drawDot(graph, {}) : drawMarkdown(graph, {})
  if (output === undefined) context.write(text)
  else {
    writeFileSync(resolve(context.cwd, output), text)
    context.note(`${output}: ${graph.nodes.size} nodes, ${graph.edges.length} edges`)
  }
  return EXIT.ok
}

/** Which prompts there are and whose; or one of them, to be saved and edited. */
function prompts(context: CommandContext, id: string | undefined, options: Record<string, unknown>): number {
  const home = openHome(context)
  const profile = (options.profile as string | undefined) ?? home.loaded.config.pipelines.profile
  const entry = (wanted: string) => {
    const own = readPrompt(home, profile, wanted)
    const used = findPrompt(wanted, own === null ? {} : { [wanted]: { text: own, hash: promptHash(own) } })
    return { ...used, isYours: own !== null }
  }
  if (id !== undefined) {
    if (!promptIds().includes(id))
      throw new SignalboxError('E_UNKNOWN', `there is no prompt "${id}"`, { next: `known: ${promptIds().join(', ')}` })
    const found = entry(id)
    if (options.json) context.json(found)
    else context.write(`${found.text}\n`)
    return EXIT.ok
  }
  const all = promptIds().map(entry)
  if (options.json) context.json(all.map(({ id: name, hash, isYours }) => ({ id: name, hash, isYours })))
  else for (const each of all) context.out(`${each.id.padEnd(22)} ${each.hash}  ${each.isYours ? 'yours' : 'built in'}`)
  if (!options.json) context.note(`your own: ${promptDirectory(home)}/<id>.md, or in a directory there for one profile`)
  return EXIT.ok
}

/** Another plan for a run that is queued, or waits for its approval: it is checked, and the person is asked (again). */
async function setPlan(context: CommandContext, word: string, file: string): Promise<number> {
  const text = readIssueFile(resolve(context.cwd, file), file)
  return withStore(context, async (store, home) => {
    const record = await findRunFor(context, store, word)
    if (record.status === 'queued' && isPipelineRun(record) && record.labels.pipeline === 'implementation') {
      const { isValid, issues } = await setQueuedPlan(store, record.id, { text, by: localPerson().name })
      context.out(`${record.id} begins with this plan${isValid ? '' : `, which is not valid: ${issues.join(', ')}`}`)
      context.note(`start it with: signalbox resume ${record.id}`)
      return EXIT.ok
    }
    const gates = new RunGates(homeLedger(context, store, home), store)
    for (const approval of Object.values(record.gates)) {
      const gate = await gates.get(approval)
      if (gate?.kind !== 'plan') continue
      await gates.answer(gate, { option: 'replace', text }, localPerson())
      context.out(`${record.id} has another plan`)
      context.note(`where nobody drives it: signalbox resume ${record.id}`)
      return EXIT.ok
    }
    throw new SignalboxError('E_STATE', `run ${record.id} is neither queued nor waits for the approval of a plan`, {
      next: `signalbox show ${record.id}`,
    })
  })
}
