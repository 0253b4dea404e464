import { EXIT } from '../../errors/index.js'
import type { InMilliseconds, Session } from '../../server/index.js'
import { budgetSentence, costText } from '../../text/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { parseAmount, parseCount } from '../parse-options.js'
import { sessionPath } from '../sessions/session-path.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { args, options }: InputOf<'budget'>): Promise<number> {
  const client = await DaemonClient.connect(context)
  const path = await sessionPath(client, args.id)
  const before = await client.get<Session>(path)
  const session =
    args.usd === undefined && options.tokens === undefined
      ? before
      : await client.post<Session>(`/sessions/${before.id}/budget`, {
          usd: args.usd === undefined ? (before.budget?.usd ?? null) : parseAmount('the budget', args.usd),
          tokens: options.tokens === undefined ? (before.budget?.tokens ?? null) : parseTokens(options.tokens),
        })
  if (options.json) context.json(session)
  else for (const line of budgetLines(session)) context.out(line)
  return EXIT.ok
}

function parseTokens(text: string): number | null {
  return text === 'none' ? null : parseCount('--tokens', text)!
}

function budgetLines({
  number,
  budget,
  paused,
  stats,
}: Pick<InMilliseconds<Session>, 'number' | 'budget' | 'paused' | 'stats'>): string[] {
  const { input = 0, output = 0, costUsd = null } = stats?.spent ?? {}
  const tokens = input + output
  const cost = costUsd === null && tokens === 0 ? '' : costText({ costUsd })
  const used = [`${tokens.toLocaleString('en')} tokens`, cost]
  const limits = [
    budget?.usd == null ? '' : `$${budget.usd.toFixed(2)}`,
    budget?.tokens == null ? '' : `${budget.tokens.toLocaleString('en')} tokens`,
  ].filter(Boolean)
  const own = budget === undefined ? 'as the settings say (sessions.max_cost)' : limits.join(', ') || 'no limit'
  return [
    `session ${number}: used ${used.filter(Boolean).join(', ')}; budget: ${own}`,
    ...(costUsd === null && tokens > 0 && budget?.usd != null
      ? [
          `the agent reports no cost, so a budget in USD never ends; limit its tokens: signalbox budget ${number} --tokens 500k`,
        ]
      : []),
    ...(paused ? [`paused: ${budgetSentence(paused)}`] : []),
  ]
}
