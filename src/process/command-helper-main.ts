// The helper that starts the commands of a process with much memory (command-helper.ts).
import type { CommandAnswer, CommandCall } from './command-helper.js'
import { loadLibc } from './libc.js'
import { runCommandHere } from './run-command.js'

process.title = 'signalbox-commands'
// What ends its owner ends the helper, too: when the channel closes. SIGUSR1 would open Node's
// debugger on a port.
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM', 'SIGPIPE', 'SIGUSR1'] as const) process.on(signal, () => undefined)
process.on('disconnect', () => process.exit(0))
process.on('message', call => void answer(call as CommandCall))
// Agents run as the same user: they must not change what its commands report.
if (!process.env.SIGNALBOX_TRACEABLE) (await loadLibc())?.hideMemory()

async function answer({ id, file, args, options }: CommandCall): Promise<void> {
  const said = await runCommandHere(file, args, options).then(
    (result): CommandAnswer => ({ id, result }),
    ({ message, code }: NodeJS.ErrnoException): CommandAnswer => ({ id, error: { message, ...(code && { code }) } }),
  )
  process.send?.(said)
}
