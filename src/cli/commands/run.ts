import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { GraphInput } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import { Git } from '../../git/index.js'
import { loadGraph, loadUserModule, projectPipeline, readGraphFile, startGraph } from '../../runs/index.js'
import type { CommandContext } from '../context.js'
import { parseLimits, parsePairs, parsePlacement, parseSandbox } from '../parse-options.js'
import { driveStarted, printQueued } from '../runs/drive-in-terminal.js'
import { printFindings } from '../runs/graph-errors.js'
import { withRuns } from '../runs/with-store.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { args, options }: InputOf<'run'>): Promise<number> {
  const mayAsk = options.ask !== false && !options.json
  if (options.detach && (options.answers !== undefined || options.checkpointDir !== undefined))
    throw new SignalboxError('E_INPUT', '--detach cannot be combined with --answers or --checkpoint-dir', {
      next: 'leave --detach out: the daemon does not read or write your files',
    })
  return withRuns(context, { mayAsk }, async start => {
    const dryRun = options.dryRun === undefined ? null : readScript(context, options.dryRun)
    const source = readGraphFile(context.cwd, await fileOf(context, args.file))
    const module =
      options.handlers === undefined
        ? null
        : await loadUserModule(start, options.handlers, { graph: source, trust: options.trust })
    const loaded = await loadGraph(start, source, {
      module,
      hasEndpoint: options.endpoint !== undefined,
      // A simulated run starts no agent.
      agent: dryRun ? undefined : (options.agent ?? start.home.loaded.config.oneshot.agent),
    })
    printFindings(context, loaded)
    const started = await startGraph(start, loaded, {
      inputs: parsePairs('--input', options.input),
      goal: options.goal,
      agent: options.agent,
      model: options.model,
      permissions: options.permissions,
      endpoint: options.endpoint,
      apiKeyEnv: options.apiKeyEnv,
      isAutoApproved: options.autoApprove,
      dryRun,
      limits: parseLimits(options),
      labels: parsePairs('--label', options.label),
      isDetached: options.detach,
      placement: parsePlacement(options),
      sandbox: parseSandbox(options),
      trust: options.trust,
    })
    if (options.detach) return printQueued(context, started.id, { json: options.json, isDetached: true })
    return driveStarted(context, start, started, options)
  })
}

/** A DOT file, or the file of a pipeline that the project registers under this name. */
async function fileOf({ cwd }: CommandContext, given: string): Promise<string> {
  if (given === '-' || existsSync(resolve(cwd, given)) || !/^[\w-]+$/.test(given)) return given
  const { file } = projectPipeline((await new Git(cwd).root()) ?? cwd, given) ?? {}
  if (file !== undefined) return file
  const shipped = { implementation: 'implement', review: 'review', pull_request: 'pr' }[given]
  if (shipped === undefined) return given
  throw new SignalboxError('E_INPUT', `"${given}" is a pipeline that ships with Signalbox`, {
    next: `signalbox ${shipped} starts it`,
  })
}

function readScript(context: CommandContext, given: string | true): GraphInput['dryRun'] {
  if (given === true) return {}
  try {
    return JSON.parse(readFileSync(resolve(context.cwd, given), 'utf8')) as GraphInput['dryRun']
  } catch (error) {
    throw new SignalboxError('E_INPUT', `cannot read the script ${given}: ${(error as Error).message}`)
  }
}
