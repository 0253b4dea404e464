import { SignalboxError } from '../errors/index.js'
import { askHidden, askLine } from './ask.js'

type Call = (method: 'GET' | 'POST', path: string, body?: unknown) => Promise<unknown>

/**
 * Proves that a person uses this process: with the code that the daemon shows in the person's
 * terminal outside tmux, else with the passphrase. If there is neither, it throws the refusal,
 * which names other ways to decide.
 */
export async function proveByTerminal(call: Call, refusal: SignalboxError): Promise<void> {
  const post = (path: string, body: unknown) => call('POST', path, body)
  if (!(await hasCode(post))) {
    const { hasPassphrase } = (await call('GET', '/auth/me')) as { hasPassphrase: boolean }
    if (!hasPassphrase) throw refusal
    const passphrase = await askHidden(`${refusal.message}\npassphrase: `)
    await post('/auth/step-up', { passphrase })
    return
  }
  const terminalCode = await askLine(
    'Signalbox shows at the top of your terminal what you confirm, and a code. Type the code: ',
  )
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
