import { tokenCount } from './entry-lines.js'
import type { Entry, ViewModel } from './view-model.js'

const HELP = [
  'enter sends · ctrl-j new line · esc stops · ctrl-c twice or /exit leaves',
  '/context tokens so far · /cost price so far · /compact shorter conversation',
  '/model picks a model',
]
/** The pretended size of the context. */
const CONTEXT_TOKENS = 200_000
/** The pretended price of a million tokens, in dollars. */
const PRICE = 15

/**
 * What a command of the program itself prints: most like the result of a tool, `/compact` like a
 * notice, as real agents do. Null: it is not one of them.
 */
export function commandOutput(text: string, model: ViewModel): Entry | null {
  const used = model.committed.reduce((sum, entry) => sum + (entry.kind === 'end' ? entry.tokens : 0), 0)
  switch (text) {
    case '/help':
      return { kind: 'output', lines: HELP }
    case '/context': {
      const percent = Math.round((used / CONTEXT_TOKENS) * 100)
      return {
        kind: 'output',
        lines: [`Context: ${tokenCount(used)} of ${tokenCount(CONTEXT_TOKENS)} tokens (${percent} %)`],
      }
    }
    case '/cost':
      return { kind: 'output', lines: [`Cost: $${((used / 1e6) * PRICE).toFixed(4)} for ${tokenCount(used)} tokens`] }
    case '/compact':
      return { kind: 'notice', text: 'The conversation was made shorter.' }
    default:
      return null
  }
}
