import { SignalboxError } from '../../errors/index.js'
import { startPullRequest } from '../../runs/index.js'
import type { CommandContext } from '../context.js'
import { driveStarted, printQueued } from '../runs/drive-in-terminal.js'
import { pipelineOptions, pullOptions } from '../runs/pipeline-options.js'
import { withRuns } from '../runs/with-store.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { args, options }: InputOf<'pr'>): Promise<number> {
  const isWatch = args.run === 'watch'
  if (args.run === undefined && options.branch === undefined)
    throw new SignalboxError('E_INPUT', 'no run or branch was given', {
      next: 'signalbox pr <run>, signalbox pr --branch HEAD, or signalbox pr watch <number>',
    })
  if (isWatch !== (args.pull !== undefined))
    throw new SignalboxError('E_INPUT', isWatch ? 'no pull request was given' : `unknown argument "${args.pull}"`, {
      next: 'signalbox pr <run>, or signalbox pr watch <number>',
    })
  const mayAsk = options.ask !== false && !options.json
  return withRuns(context, { mayAsk }, async start => {
    const started = await startPullRequest(start, {
      ...(isWatch ? { pull: args.pull } : { run: args.run }),
      branch: options.branch,
      ...pullOptions(options),
      ...pipelineOptions(context, options),
    })
    if (options.detach) return printQueued(context, started.id, { json: options.json, isDetached: true })
    return driveStarted(context, start, started, options)
  })
}
