import { readFileSync, statSync } from 'node:fs'
import { SignalboxError } from '../../errors/index.js'
import type { Home } from '../../host/home/index.js'

/** As BotFather gives it: the bot's number, a colon, and the secret. */
const TOKEN = /^\d{5,}:[\w-]{30,}$/

/**
 * The bot's token, from the environment or from a file that nobody else may read; null where none is set. What is wrong with it is said
 * without saying it.
 * @throws SignalboxError `E_CONFIG`
 */
export function botToken({ loaded }: Home): string | null {
  const { token, token_file: file } = loaded.config.telegram
  if (token !== null) return checked(token.trim(), 'the environment')
  if (file === null) return null
  const mode = statSync(file, { throwIfNoEntry: false })?.mode
  if (mode === undefined)
    throw new SignalboxError('E_CONFIG', `there is no file ${file} (telegram.token_file)`, {
      next: 'signalbox telegram setup writes it',
    })
  if ((mode & 0o077) !== 0)
    throw new SignalboxError('E_CONFIG', `${file} can be read by others (telegram.token_file)`, {
      next: `chmod 600 ${file}`,
    })
  return checked(readFileSync(file, 'utf8').trim(), file)
}

export function checked(token: string, where: string): string {
  if (TOKEN.test(token)) return token
  throw new SignalboxError('E_CONFIG', `what is in ${where} is no token of a bot`, {
    next: 'it looks like 1234567:AA…; BotFather shows it',
  })
}
