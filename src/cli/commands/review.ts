import { startReview } from '../../runs/index.js'
import type { CommandContext } from '../context.js'
import { parseCount, parseLimits, parsePairs, parseSandbox } from '../parse-options.js'
import { driveStarted, printQueued } from '../runs/drive-run.js'
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
      reviewTypes: options.type,
      fix: options.fix,
      passes: parseCount('--passes', options.passes),
      commit: options.commit,
      profile: options.profile,
      agent: options.agent,
      endpoint: options.endpoint,
      apiKeyEnv: options.apiKeyEnv,
      model: options.model,
      isUnattended: options.autoApprove === true || !context.isInteractive || options.detach === true,
      autoApprove: options.autoApprove,
      limits: parseLimits(options),
      labels: parsePairs('--label', options.label),
      isDetached: options.detach,
      sandbox: parseSandbox(options),
      trust: options.trust,
    })
    if (options.detach) return printQueued(context, started.id, { json: options.json, isDetached: true })
    return driveStarted(context, start, started, options)
  })
}
