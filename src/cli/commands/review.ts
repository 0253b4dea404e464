import { startReview } from '../../runs/index.js'
import type { CommandContext } from '../context.js'
import { parseCount, parsePlacement } from '../parse-options.js'
import { driveStarted, printQueued } from '../runs/drive-in-terminal.js'
import { pipelineOptions } from '../runs/pipeline-options.js'
import { readFindings } from '../runs/read-findings.js'
import { withRuns } from '../runs/with-store.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { args, options }: InputOf<'review'>): Promise<number> {
  const mayAsk = options.ask !== false && !options.json
  return withRuns(context, { mayAsk }, async start => {
    const started = await startReview(start, {
      range: args.range,
      isLocal: options.local,
      run: options.run,
      pr: options.pr,
      ...(options.findings !== undefined && { findings: readFindings(context, options.findings) }),
      reviewTypes: options.type,
      fix: options.fix,
      passes: parseCount('--passes', options.passes),
      commit: options.commit,
      placement: parsePlacement(options),
      ...pipelineOptions(context, options),
    })
    if (options.detach) return printQueued(context, started.id, { json: options.json, isDetached: true })
    return driveStarted(context, start, started, options)
  })
}
