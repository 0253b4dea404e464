import { spawn } from 'node:child_process'
import type { CommandContext } from './context.js'

/** Quits if everything fits on the screen, keeps colours, leaves the text on the screen. */
const LESS = ['-F', '-R', '-X']

/**
 * Prints lines through the person's pager if they do not fit on the screen: `PAGER`, else `less`.
 * Without a terminal, with `PAGER=cat` or without a pager, it prints them as they are.
 */
export async function printPaged(context: CommandContext, lines: readonly string[]): Promise<void> {
  const text = `${lines.join('\n').trimEnd()}\n`
  const [program, ...args] = (context.env.PAGER ?? 'less').split(' ').filter(Boolean)
  const isLong = lines.length >= (process.stdout.rows || Number.POSITIVE_INFINITY)
  if (!context.isOutputTty || !isLong || program === undefined || program === 'cat') return context.write(text)
  const shown = await page(program, program === 'less' ? [...LESS, ...args] : args, text, context.env)
  if (!shown) context.write(text)
}

/** Whether the pager could be started. */
async function page(program: string, args: string[], text: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const pager = spawn(program, args, { stdio: ['pipe', 'inherit', 'inherit'], env })
  return new Promise(resolve => {
    pager.on('error', () => resolve(false))
    pager.on('close', () => resolve(true))
    // A person may leave the pager before the end.
    pager.stdin.on('error', () => undefined)
    pager.stdin.end(text)
  })
}
