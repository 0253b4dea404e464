import { SignalboxError } from '../errors/index.js'
import { askHidden, askLine } from './ask.js'

/**
 * Proves that a person is behind this process: by the code that the daemon writes to the terminal
 * of the person's tmux client, or by the passphrase where there is no such terminal.
 */
export async function proveByTerminal(
  post: (path: string, body: unknown) => Promise<unknown>,
  refusal: SignalboxError,
): Promise<void> {
  if (!(await hasCode(post))) {
    const passphrase = await askHidden(`${refusal.message}\npassphrase: `)
    await post('/auth/step-up', { passphrase })
    return
  }
  const terminalCode = await askLine('Signalbox shows a code on the first line of your terminal. Type it: ')
  if (terminalCode.trim() === '') throw refusal
  await post('/auth/step-up', { terminalCode })
}

async function hasCode(post: (path: string, body: unknown) => Promise<unknown>): Promise<boolean> {
  try {
    await post('/auth/terminal-code', {})
    return true
  } catch (error) {
    if (error instanceof SignalboxError && error.code === 'E_STATE') return false
    throw error
  }
}
