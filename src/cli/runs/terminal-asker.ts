import type { Asker, TrustQuestion } from '../../runs/index.js'
import { visibleText } from '../../text/index.js'
import { askLine, askYes } from '../ask.js'
import type { CommandContext } from '../context.js'

const SHOWN_LINES = 60
const SHOWN_COMMANDS = 12

/** Asks the person at this terminal. */
export function terminalAsker(context: CommandContext): Asker {
  return {
    trust: question => askTrust(context, question),
    confirm: askYes,
  }
}

/** Shows which files would run, what is new or changed, and the commands in them. */
async function askTrust({ out, style }: CommandContext, { found, check, difference }: TrustQuestion): Promise<boolean> {
  out(style('bold', `Trust these files of ${visibleText(found.project)}?`))
  out('Commands in them run as you, with your permissions.')
  for (const file of check.added) out(`  ${style('yellow', 'new')}      ${visibleText(file)}`)
  for (const file of check.changed) {
    out(`  ${style('yellow', 'changed')}  ${visibleText(file)}`)
    const lines = ((await difference(file)) ?? '').split('\n')
    for (const line of lines.slice(0, SHOWN_LINES)) out(`    ${style('dim', visibleText(line))}`)
    if (lines.length > SHOWN_LINES) out(style('dim', `    … ${lines.length - SHOWN_LINES} more lines`))
  }
  if (found.commands.length > 0) out('They run:')
  for (const command of found.commands.slice(0, SHOWN_COMMANDS))
    out(`  ${style('cyan', visibleText(command.replace(/\s+/g, ' ')).slice(0, 200))}`)
  if (found.commands.length > SHOWN_COMMANDS) out(`  … and ${found.commands.length - SHOWN_COMMANDS} more commands`)
  return /^y(es)?$/i.test((await askLine('yes or [no]: ')).trim())
}
