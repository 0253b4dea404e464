import { EXIT, SignalboxError } from '../../errors/index.js'
import { describeRun } from '../../runs/index.js'
import { runWord } from '../../text/index.js'
import type { CommandContext } from '../context.js'
import { followInTerminal } from '../runs/drive-in-terminal.js'
import { findRunFor, withRuns } from '../runs/with-store.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { args, options }: InputOf<'logs'>): Promise<number> {
  return withRuns(context, { mayAsk: false }, async start => {
    const record = await findRunFor(context, start.store, args.run).catch(error => {
      // Sessions have numbers.
      if (!/^\d+$/.test(args.run ?? '')) throw error
      throw new SignalboxError('E_UNKNOWN', `unknown run "${args.run}"`, {
        next: `signalbox read ${args.run} prints the conversation of session ${args.run}`,
      })
    })
    const isFollowing = options.follow === true
    const step = args.step ?? null
    const final = await followInTerminal(context, start, record, { step, isFollowing, json: options.json })
    const described = await describeRun(start, final)
    const { isUndriven, why, next } = described
    if (isUndriven) context.note(`${runWord(described)}: ${why}; resume it: ${next}`)
    return EXIT.ok
  })
}
